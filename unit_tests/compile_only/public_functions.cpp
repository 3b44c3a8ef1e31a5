// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Every public function, instantiated for EINKORN_TEST_SPACE. Compiled but not run, also for a device by
// scripts/check_hip.sh and check_cuda.sh.
#include <einkorn/core/cooperative.hpp>
#include <einkorn/formats/all_formats.hpp>
#include <einkorn/formats/analysis/plan_by_measuring.hpp>
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/analysis/select_by_measuring.hpp>
#include <einkorn/formats/analysis/structure.hpp>
#include <einkorn/formats/analysis/symmetry.hpp>
#include <einkorn/formats/analysis/wisdom_file.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/bdia/validate.hpp>
#include <einkorn/formats/brcv/stripes.hpp>
#include <einkorn/formats/brcv/validate.hpp>
#include <einkorn/formats/bsr/detect_block_size.hpp>
#include <einkorn/formats/bsr/validate.hpp>
#include <einkorn/formats/coo/validate.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/csr/diagonal.hpp>
#include <einkorn/formats/csr/expand_symmetric.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/permute.hpp>
#include <einkorn/formats/csr/rows_by_length.hpp>
#include <einkorn/formats/csr/scale.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>
#include <einkorn/formats/csr/transpose.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/dia/validate.hpp>
#include <einkorn/formats/format_name.hpp>
#include <einkorn/formats/generate/generate.hpp>
#include <einkorn/formats/sell/validate.hpp>
#include <einkorn/solvers/precond/block_jacobi.hpp>
#include <einkorn/solvers/precond/identity.hpp>
#include <einkorn/solvers/precond/jacobi.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// The other formats, transformations of a CSR, and the selection of a format, for one choice of types.
template <class S, class O, class F>
struct FormatDoors {
  using Matrix = Csr<S, O, F, Device>;
  using RowMajor = Kokkos::View<S**, Kokkos::LayoutRight, Device>;

  Space exec;
  Matrix A;
  Kokkos::View<S*, Device> x, y;  // the types of select_by_measuring, so that kernels are instantiated once
  RowMajor X, Y;

  void rooms() {
    (void)convert_and_multiply<Ell>();
    (void)convert_and_multiply<Hyb>();
    validate(exec, convert_and_multiply<Coo>());
    validate(exec, convert_and_multiply<Sell>());
    validate(exec, convert_and_multiply<Dia>());
    validate(exec, convert_and_multiply<Bdia>());
    validate(exec, convert_and_multiply<Bsr>());
    validate(exec, convert_and_multiply<Brcv>());
    (void)detect_block_size(exec, A);
    if (prefers_brcv(exec, A)) A.num_rows = stripes(exec, A).p;
  }

  void csr() {
    auto const rows = rows_by_length(exec, A);
    A = permute(exec, A, rows, rows);
    if (!is_sorted_by_column(exec, A)) A = sort_rows(exec, A);
    A = expand_symmetric(exec, A);
    A = expand_symmetric(exec, A, y, {.hermitian = true});
    using Narrow = std::conditional_t<is_complex<S>, Kokkos::complex<float>, float>;
    A.columns = convert_values<Narrow>(exec, A).columns;
    auto const plan = make_spmv_plan(exec, A, {.algorithm = SpmvAlgorithm::sorted_rows});
    spmv(exec, S(1), plan.matrix(), X, S(0), Y);
    spmv(exec, plan, S(1), X, S(0), Y);
  }

  void choice() {
    static_assert(format_of(name_of(FormatName::brcv)) == FormatName::brcv);
    auto const looks = structure(exec, A, {.symmetry = true});
    auto const by_model = select(exec, A, looks.mean_row_length);
    auto const measured = select_by_measuring(exec, A);
    auto any = make_any_matrix(exec, A, has_symmetric_pattern(exec, A) ? by_model.format : measured.format);
    auto wisdom = read_wisdom(wisdom_machine(exec) + structure_class(looks));
    if (select(exec, A, {.effort = Effort::exhaustive, .wisdom = &wisdom}).format != any.format())
      any = make_any_matrix(exec, A, {.effort = *effort_of("measure"), .uses = 100, .wisdom = &wisdom});
    write_wisdom(name_of(Effort::measure), wisdom);
    auto const plan = make_spmv_plan(exec, A, {.effort = Effort::measure, .wisdom = &wisdom});
    spmv(exec, plan, S(1), x, S(0), y);
    update_values(exec, any, A);
    spmv(exec, S(1), any, x, S(0), y);
    A.columns = to_csr(exec, any).columns;
  }

 private:
  template <template <class, class, class, class> class Format>
  auto convert_and_multiply() {
    auto const format = from_csr<Format>(exec, A, typename FromCsr<Format>::Options());
    A = to_csr(exec, format);
    update_values(exec, format, A);
    auto const plan = make_spmv_plan(exec, format);
    spmv(exec, S(1), format, x, S(0), y);
    spmv(exec, plan, S(1), x, S(0), y);
    spmv(exec, S(1), format, X, S(0), Y);
    spmv(exec, plan, S(1), X, S(0), Y);
    return format;
  }
};

/// All operations of a thread of a cooperative launch.
struct CooperativePass {
  Kokkos::View<double*, Device> x;

  KOKKOS_FUNCTION void operator()(CooperativeMember<Space>& member) const {
    double sums[2] = {};
    member.sync();
    x(0) += 1;
    member.sum_all(sums, [&](double const* totals) { x(1) = totals[0]; });
    member.sum_all(sums);
  }
};

void apply_fused(Space const& exec, Kokkos::View<double*, Device> const& x) {
  CooperativeSpace<Space> space(exec);
  launch_cooperative(exec, "pass", space, CooperativePass{x});
}

/// Preconditioners and their parts, for one choice of types.
template <class S, class O, class F>
struct PreconditionerDoors {
  Space exec;
  Csr<S, O, F, Device> A;
  Kokkos::View<real_type<S>*, Device> scaling;
  Kokkos::View<O*, Device> block_offsets;
  Kokkos::View<S*, Device> r, z;

  void all() {
    extract_diagonal(exec, A, z);
    update_scaled_values(exec, scaling, A, scaling, scale_rows_and_columns(exec, scaling, A, scaling));
    use(make_identity(exec, A));
    use(make_jacobi(exec, A));
    use(make_block_jacobi(exec, A, {.block_size = 8}));
    use(make_block_jacobi(exec, A, block_offsets));
  }

 private:
  template <class Preconditioner>
  void use(Preconditioner M) {
    M.update(exec, A);
    if (M.status().usable()) M.apply(exec, r, z);
  }
};

template struct PreconditionerDoors<float, int, int>;
template struct PreconditionerDoors<double, int, std::size_t>;
template struct PreconditionerDoors<Kokkos::complex<double>, std::int64_t, std::size_t>;

template struct FrontDoors<float, int, int, false>;
template struct FrontDoors<double, int, std::size_t, true>;
template struct FrontDoors<Kokkos::complex<double>, std::int64_t, std::size_t, false>;
template struct FormatDoors<double, int, std::size_t>;

}  // namespace einkorn::test
