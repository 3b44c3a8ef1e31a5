// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The product of a distributed matrix and its dot products against the reference, exact.

#include "../support/battery.hpp"
#include "../support/near.hpp"
#include "on_ranks.hpp"
#include "split_matrix.hpp"

#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/from_csr.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/engine/solve_space.hpp>
#include <einkorn/solvers/gmres/state.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace einkorn::test {
namespace {

/// u.v with the first factor conjugated; exact for integers.
template <class S>
S dot(std::vector<S> const& u, std::vector<S> const& v) {
  S sum(0);
  for (std::size_t i = 0; i < u.size(); ++i) sum += conjugate(u[i]) * v[i];
  return sum;
}
template <class S>
S from_parts(double const* sums) {
  if constexpr (is_complex<S>)
    return S(sums[0], sums[1]);
  else
    return sums[0];
}

/// y = A x by apply(), and with y.y, u.y, w.y and w.u by apply_fused(), for the operator that to_operator makes of the
/// local part. Every rank has the sums over all ranks.
template <class S, class ToOperator>
void expect_product(HostMatrix<S> const& A, RowBlocks const& blocks, ToOperator const& to_operator) {
  auto const x = numbers<S>(Numbers::integers, A.cols(), 3), u = numbers<S>(Numbers::integers, A.rows(), 4),
             w = numbers<S>(Numbers::integers, A.rows(), 5);
  std::vector<S> y(A.rows()), y_fused(A.rows());
  constexpr int num_sums = 1 + 3 * components<S>;
  std::vector<std::vector<double>> sums(static_cast<std::size_t>(blocks.num_ranks()));
  on_ranks(A, blocks, [&](Space const& exec, auto const& D, auto const& transport) {
    using Vector = Kokkos::View<S*, Device>;
    using State = detail::Progress;
    int const rank = D.communicator.rank();
    auto const op = make_distributed_operator<S>(exec, D, transport,
                                                 [&](auto const& local) { return to_operator(exec, local); });
    Vector const my_x = to_device(part_of(x, blocks, rank)), my_u = to_device(part_of(u, blocks, rank)),
                 my_w = to_device(part_of(w, blocks, rank)), my_y("y", op.num_rows());
    auto const keep = [&](std::vector<S>& all) {
      auto const part = to_host(my_y);
      std::copy(part.begin(), part.end(), all.begin() + blocks.begin(rank));
    };
    Kokkos::deep_copy(my_y, not_a_number<S>());
    op.apply(exec, my_x, my_y);
    exec.fence();
    keep(y);

    detail::SolveSpace<State, Vector, Space, true> const space(exec, op, my_x, my_y, {}, false);
    Kokkos::View<double*, Device> const totals("sums", num_sums);
    Kokkos::deep_copy(my_y, not_a_number<S>());
    space.template product<true>(exec, op, my_u, my_w, my_x, my_y, detail::StoreSums<num_sums>{totals.data()});
    exec.fence();
    keep(y_fused);
    sums[static_cast<std::size_t>(rank)] = to_host(totals);
  });
  auto const want = expected<S>(A, x, S(1), S(0));
  EXPECT_TRUE(agrees(y, want, y, true));
  EXPECT_TRUE(agrees(y_fused, want, y, true));
  for (auto const& of_rank : sums) {
    EXPECT_EQ(S(of_rank[0]), dot(y, y));
    EXPECT_EQ(from_parts<S>(&of_rank[1]), dot(u, y));
    EXPECT_EQ(from_parts<S>(&of_rank[1 + components<S>]), dot(w, y));
    EXPECT_EQ(from_parts<S>(&of_rank[1 + 2 * components<S>]), dot(w, u));
  }
}

auto const csr_operator = [](auto const& exec, auto const& local) {
  return make_operator<typename std::decay_t<decltype(local)>::scalar_type>(exec, local);
};

template <class S>
class DistributedProduct : public testing::Test {};
using Scalars = TestTypes<double, Complex>;
TYPED_TEST_SUITE(DistributedProduct, Scalars);

TYPED_TEST(DistributedProduct, Csr) {
  int num_patterns = 0;
  for (auto const& pattern : battery()) {
    if (pattern.is_large()) continue;
    ++num_patterns;
    auto const A = with_numbers<TypeParam>(squared(pattern), Numbers::integers);
    for (auto const& blocks : some_blocks(A.rows())) {
      SCOPED_TRACE(pattern.name + ", " + std::to_string(blocks.num_ranks()) + " ranks");
      expect_product(A, blocks, csr_operator);
    }
  }
  EXPECT_GE(num_patterns, 20);
}

/// Formats with and without a fused product, and sorted rows, whose kernels visit rows in another order.
TEST(DistributedProductFormats, AnyMatrix) {
  int num_patterns = 0;
  for (char const* name : {"random, seed 1", "one dense row among short ones", "diagonal"})
    for (auto const& pattern : battery()) {
      if (pattern.name != name) continue;
      ++num_patterns;
      auto const A = with_numbers<double>(squared(pattern), Numbers::integers);
      auto const n = static_cast<std::int64_t>(A.rows());
      for (auto const format : {FormatName::csr, FormatName::csr5, FormatName::coo, FormatName::ell,
                                FormatName::sell, FormatName::hyb, FormatName::bsr, FormatName::brcv})
        for (auto const& blocks : {RowBlocks::uniform(n, 3), RowBlocks({0, 0, n})}) {
          SCOPED_TRACE(pattern.name + ", " + std::to_string(static_cast<int>(format)));
          expect_product(A, blocks, [&](auto const& exec, auto const& local) {
            return make_operator<double>(exec,
                                         make_any_matrix<double>(exec, local, format, {.fill_limit = 1e9}));
          });
        }
    }
  EXPECT_EQ(num_patterns, 3);
}

/// Sums whose bits depend on the order of the additions.
TEST(DistributedSums, AreAddedInRankOrder) {
  std::vector<double> const values = {1e16, 1.0, -1e16,
                                      0.5};  // in this order 0.5, reversed 0, with rank 1 last 1.5
  run_ranks(4, [&](Communicator const& comm) {
    Space const exec;
    LoopbackTransport<Space> transport(comm, poisoned());
    GatheredSums<Space> const sums(exec, transport);
    double const mine = values[static_cast<std::size_t>(comm.rank())];
    Kokkos::View<double*, Device> const totals("totals", 3);
    Kokkos::View<double*, Device> const deferred("deferred", 1), last("last", 2);  // blocks of one sum
    Kokkos::deep_copy(deferred, mine);
    Kokkos::deep_copy(last, mine);
    SumSpace<Device> const space(exec, 3);
    sums.reduce(exec, space, detail::BlockSums<1>{deferred.data(), 1}, detail::BlockSums<1>{last.data(), 2},
                detail::StoreSums<2>{totals.data()});
    sums.reserve_many(exec, 1);
    Kokkos::deep_copy(Kokkos::View<double, Device>(sums.many()), 4 * mine);
    sums.reduce_many(exec, 1, totals.data() + 2, detail::GmresNoStep{});
    exec.fence();
    EXPECT_EQ(to_host(totals), (std::vector<double>{0.5, 1.0, 2.0}));
  });
}

/// Rows of a rank that have ghost columns only: its local part has no entries.
TEST(DistributedProductShapes, NoLocalEntries) {
  int const n = 70;
  HostMatrix<double> A{n, n, {0}, {}, {}};
  for (int i = 0; i < n; ++i) {
    A.columns.push_back((i + n / 2) % n);
    A.values.push_back(i % 5 + 1);
    A.offsets.push_back(i + 1);
  }
  for (auto const& blocks : some_blocks(A.rows())) expect_product(A, blocks, csr_operator);
}

}  // namespace
}  // namespace einkorn::test
