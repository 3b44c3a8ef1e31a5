// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Every front door, instantiated for EINKORN_TEST_SPACE. Compiled, never run: scripts/check_hip.sh does so
// for a device that the machine need not have.
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::test {

using Space = EINKORN_TEST_SPACE;
using Device = Space::device_type;

/// Conversions, plans and products of one choice of types.
template <class S, class O, class F, bool every_layout>
struct FrontDoors {
  using V = sum_type<S>;
  template <class Layout>
  using Vectors = Kokkos::View<V**, Layout, Device>;

  Space exec;
  Csr<S, O, F, Device> A;
  Kokkos::View<V const*, Device> x;
  Kokkos::View<V*, Device> y;
  Vectors<Kokkos::LayoutLeft> left_x, left_y;
  Vectors<Kokkos::LayoutRight> right_x, right_y;

  void csr() {
    validate(exec, A);
    for (auto const op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
      auto plan = make_spmv_plan<V>(exec, A, {.op = op});
      update_values(exec, plan, A);
      products([&](auto const& from, auto const& to) {
        spmv(exec, V(1), A, from, V(0), to, {.op = op});
        spmv(exec, plan, V(1), from, V(0), to);
      });
    }
    auto const T = transpose(exec, A);
    update_values(exec, T, A);
  }

  void csr5() {
    auto const format = from_csr<Csr5>(exec, A);
    update_values(exec, format, to_csr(exec, format));
    auto const plan = make_spmv_plan<V>(exec, format);
    products([&](auto const& from, auto const& to) {
      spmv(exec, V(1), format, from, V(0), to);
      spmv(exec, plan, V(1), from, V(0), to);
    });
  }

  void make() {
    A = generate<S, O, F, Device>(exec, "gen:rmat:8");
    A = csr_from_triplets<F, Device>(Triplets<S, O>());
  }

 private:
  template <class Product>
  void products(Product const& product) {
    product(x, y);
    product(Kokkos::subview(right_x, Kokkos::ALL, 0), Kokkos::subview(right_y, Kokkos::ALL, 1));
    if constexpr (every_layout) {
      product(left_x, left_y);
      product(right_x, right_y);
    }
  }
};

template struct FrontDoors<float, int, int, false>;
template struct FrontDoors<double, int, std::size_t, true>;
template struct FrontDoors<Kokkos::complex<double>, std::int64_t, std::size_t, false>;

}  // namespace einkorn::test
