// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// A product with fused dot products: y, y.y, u.y, w.y and w.u.

#include "../support/near.hpp"
#include "../support/vectors.hpp"
#include "accumulated.hpp"

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/formats/spmv_plan.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace einkorn::test {

/// The components of conj(u).v, exact: the numbers are small integers.
template <class S>
void add_dot(std::vector<double>& sums, std::vector<S> const& u, std::vector<S> const& v) {
  Wide<S> sum{};
  for (std::size_t i = 0; i < u.size(); ++i) sum += product(widen<S>(conjugate(u[i])), widen<S>(v[i]));
  if constexpr (is_complex<S>) {
    sums.push_back(static_cast<double>(sum.real()));
    sums.push_back(static_cast<double>(sum.imag()));
  } else {
    sums.push_back(static_cast<double>(sum));
  }
}

template <bool with_w, class S, class Plan>
void expect_dots(HostMatrix<S> const& A, Plan const& plan) {
  using EpilogueOp = EpilogueWithDots<S, Kokkos::View<S const*, Device>, with_w>;
  auto const x = numbers<S>(Numbers::integers, A.cols(), 2),
             before = numbers<S>(Numbers::integers, A.rows(), 3),
             u = numbers<S>(Numbers::integers, A.rows(), 4), w = numbers<S>(Numbers::integers, A.rows(), 5);
  bool const accumulates = A.nnz() > 0;  // see EpilogueWithDots
  for (S const beta : {S(0), S(-1)}) {
    if (beta != S(0) && !accumulates) continue;
    auto const device_x = to_device(x), y = to_device(before), device_u = to_device(u), device_w = to_device(w);
    PartialsLayout counted{0, 0, true}, layout;
    EpilogueOp const counting({{}, &counted}, S(2), beta, device_u, device_w);
    spmv_fused(Space(), plan, counting, device_x, y);
    if (accumulates) {
      EXPECT_TRUE(same_numbers(to_host(y), before)) << "dry run";
    }
    SumSpace<Device> const space(Space(), counted.num_blocks * EpilogueOp::count);
    Kokkos::deep_copy(space.partials(), not_a_number<double>());

    spmv_fused(Space(), plan, EpilogueOp({space.partials(), &layout}, S(2), beta, device_u, device_w), device_x,
               y);
    auto const totals = totals_of<EpilogueOp::count>(space, layout.num_blocks);

    EXPECT_EQ(layout.num_blocks, counted.num_blocks);
    EXPECT_EQ(layout.launches, counted.launches);
    auto const got = to_host(y);
    EXPECT_TRUE(agrees(got, expected<S>(A, x, S(2), beta), before, true));
    std::vector<double> all, want;
    add_dot(all, got, got);
    want.push_back(all[0]);
    add_dot(want, u, got);
    if (with_w) add_dot(want, w, got);
    if (with_w) add_dot(want, w, accumulates ? u : got);
    EXPECT_EQ(totals, want);
  }
}

}  // namespace einkorn::test
