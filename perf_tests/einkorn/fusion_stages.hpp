// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "fusion_passes.hpp"
#include "solve_rows.hpp"
#include "support/textbook.hpp"
#include "support/unfused_kokkos.hpp"

#include <einkorn/core/fused_pass.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/core/sum_partials.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

namespace einkorn::perf {

/// Jacobi-PCG with scalars on the device: stages of fusion between the textbook and the solvers of the library.
/// All compute r.r, the stopping criterion; none reads it on the host. n-vectors per iteration, including x and
/// y of the product:
///   unfused   one kernel per operation                                                                 19
///   updates   r with r.r and r.z, and x with p, in a pass each; z is not stored                        14
///   one_pass  p.q and q.D^-1 q within the product, then x, r and p in one pass                         11
template <class Operator>
class FusionStage {
 public:
  enum class Variant { unfused, updates, one_pass };

  FusionStage(SolveBench const& bench, Operator const& op, Variant variant)
      : exec_(bench.exec),
        op_(op),
        variant_(variant),
        b_(bench.b),
        v_{bench.x, vector(bench, "r"), vector(bench, "p"), vector(bench, "q"), bench.inverse_diagonal},
        scalars_("einkorn::perf::scalars"),
        sums_(exec_, max_partials()) {
    if (variant == Variant::unfused) z_ = vector(bench, "z");
  }

  /// x = 0, r = b, p = D^-1 r.
  void start() const {
    Kokkos::deep_copy(exec_, v_.x, 0.0);
    Kokkos::deep_copy(exec_, v_.r, b_);
    each("precondition", unfused::Product{v_.inverse, v_.r, v_.p});
    dot(v_.r, v_.p, &scalars()->rho);
  }
  void iterate() const {
    switch (variant_) {
      case Variant::unfused:
        return iterate_unfused();
      case Variant::updates:
        return iterate_updates();
      case Variant::one_pass:
        return iterate_one_pass();
    }
  }

 private:
  void iterate_unfused() const {
    op_.apply(exec_, v_.p, v_.q);                                             // 2
    dot(v_.p, v_.q, &scalars()->curvature);                                   // 2
    divide(true);                                                             //
    each("axpy", fusion::AxpyOnDevice{&scalars()->alpha, 1.0, v_.p, v_.x});   // 3
    each("axpy", fusion::AxpyOnDevice{&scalars()->alpha, -1.0, v_.q, v_.r});  // 3
    dot(v_.r, v_.r, &scalars()->norm_squared);                                // 1
    each("precondition", unfused::Product{v_.inverse, v_.r, z_});             // 3
    dot(v_.r, z_, &scalars()->rho_new);                                       // 2
    divide(false);                                                            //
    each("xpay", fusion::XpayOnDevice{z_, &scalars()->beta, v_.p});           // 3
  }
  void iterate_updates() const {
    op_.apply(exec_, v_.p, v_.q);                                                                 // 2
    run_pass("curvature", fusion::CurvaturePass{v_}, fusion::AfterCurvature{scalars()});          // 2
    run_pass("residual", fusion::ResidualPass{v_, scalars()}, fusion::AfterResidual{scalars()});  // 4
    PartialsLayout layout;
    fused("direction", fusion::DirectionPass<false>{v_, scalars()}, layout);  // 6
  }
  void iterate_one_pass() const {
    PartialsLayout layout;
    op_.apply_fused(exec_, product(sums_.partials(), layout), v_.p, v_.q);  // 3
    sum_partials<2>(exec_, "einkorn::perf::sum", sums_, layout.num_blocks, fusion::AfterProduct{scalars()});
    run_pass("update", fusion::DirectionPass<true>{v_, scalars()}, fusion::AfterUpdate{scalars()});  // 8
  }

  static DenseVector<double> vector(SolveBench const& bench, char const* name) {
    return DenseVector<double>(std::string("einkorn::perf::") + name, bench.size());
  }
  [[nodiscard]] fusion::PcgScalars* scalars() const { return scalars_.data(); }  // its members' addresses only
  [[nodiscard]] auto range() const {
    return light_weight(Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec_, 0, b_.extent(0)));
  }

  template <class Body>
  void each(char const* name, Body const& body) const {
    Kokkos::parallel_for(std::string("einkorn::perf::") + name, range(), body);
  }
  void dot(DenseVector<double const> const& x, DenseVector<double const> const& y, double* to) const {
    Kokkos::parallel_reduce("einkorn::perf::dot", range(), unfused::Dot{x, y},
                            Kokkos::View<double, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(to));
  }
  void divide(bool is_alpha) const {
    Kokkos::parallel_for("einkorn::perf::scalars", light_weight(Kokkos::RangePolicy<Exec>(exec_, 0, 1)),
                         fusion::Divide{scalars(), is_alpha});
  }
  template <class Body>
  void fused(char const* name, Body const& body, PartialsLayout& layout) const {
    fused_pass(exec_, ("einkorn::perf::" + std::string(name)).c_str(), b_.extent(0),
               typename Body::Sums{sums_.partials(), &layout}, body);
  }
  template <class Body, class Step>
  void run_pass(char const* name, Body const& body, Step const& step) const {
    PartialsLayout layout;
    fused(name, body, layout);
    sum_partials<Body::Sums::count>(exec_, "einkorn::perf::sum", sums_, layout.num_blocks, step);
  }
  [[nodiscard]] fusion::CurvatureAndNorm product(Kokkos::View<double*, Device> const& partials,
                                                 PartialsLayout& layout) const {
    return {fusion::CurvatureAndNorm::Sums{partials, &layout}, v_};
  }
  /// Doubles for the partial sums of the product and of a pass.
  [[nodiscard]] std::size_t max_partials() const {
    using Body = fusion::DirectionPass<true>;
    PartialsLayout of_product{0, 0, true}, of_pass{0, 0, true};
    op_.apply_fused(exec_, product({}, of_product), v_.p, v_.q);
    fused_pass(exec_, "", b_.extent(0), typename Body::Sums{{}, &of_pass}, Body{v_, scalars()});
    return 2 * std::max(of_product.num_blocks, of_pass.num_blocks) + 2;
  }

  Exec exec_;
  Operator op_;
  Variant variant_;
  DenseVector<double const> b_;
  fusion::PcgVectors v_;
  DenseVector<double> z_;
  Kokkos::View<fusion::PcgScalars, Device> scalars_;
  SumSpace<Device> sums_;
};

/// One row per stage for one format: `fusion` is its name, the note its n-vectors. Without residual
/// replacement, so that the stages differ in the fusion only. to_format as in add_rows_of_format().
template <class ToFormat>
void add_fusion_stages_of(SolveBench& bench, std::string const& format, ToFormat const& to_format) {
  using Operator = decltype(make_operator<double>(bench.exec, to_format(bench.A)));
  using Stage = FusionStage<Operator>;
  Exec const exec = bench.exec;
  auto const b = bench.b;
  auto const x = bench.x;
  auto const cache = std::make_shared<std::shared_ptr<Operator>>();
  auto const add = [&](char const* execution, char const* fusion, std::size_t vectors, auto const& build) {
    SolveRow row;
    row.format = format;
    row.execution = execution;
    row.fusion = fusion;
    row.vectors = vectors;
    row.note = std::to_string(vectors) + " vectors";
    bench.add(row, [&](SolveRow& to) {
      auto const op =
          get_or_make<Operator>(cache, [&] { return make_operator<double>(exec, to_format(bench.A)); });
      to.matrix_bytes = format_bytes(op->plan().matrix(), bench.A);
      build(to, *op);
    });
  };
  auto const on_device = [&](typename Stage::Variant variant) {
    return [&, variant](SolveRow& row, Operator const& op) {
      auto const stage = std::make_shared<Stage const>(bench, op, variant);
      row.note += ", convergence not read";
      row.solve = [stage](int iterations) {
        stage->start();
        for (int k = 0; k < iterations; ++k) stage->iterate();
        return iterations;
      };
    };
  };
  auto const of_library = [](Execution execution, Recurrence recurrence) {
    auto options = fixed_iterations(execution, recurrence);
    options.replace_every = 0;
    return options;
  };
  auto const scaled = [&](Execution execution) {
    return [&, execution](SolveRow& row, Operator const&) {
      auto const op = make_jacobi_scaled(exec, bench.A, ScaledSides::both, [&](auto const& scaled_matrix) {
        return make_operator<double>(exec, to_format(scaled_matrix));
      });
      auto const options = of_library(execution, Recurrence::fused);
      CgWorkspace<double, Exec> const workspace(exec, op, options);
      row.matrix_bytes = format_bytes(op.scaled().plan().matrix(), bench.A);
      set_solve(bench, row, options,
                [=](SolverOptions const& with) { return cg(exec, op, b, x, with, workspace); });
    };
  };

  add("host_scalars", "unfused", 19, [&](SolveRow& row, Operator const& op) {
    auto const multiply = [exec, op](DenseVector<double const> const& from, DenseVector<double> const& to) {
      op.apply(exec, from, to);
    };
    run_textbook(row, bench, std::make_shared<UnfusedKokkos const>(exec, bench.inverse_diagonal, multiply));
  });
  add("device_scalars", "unfused", 19, on_device(Stage::Variant::unfused));
  add("device_scalars", "updates", 14, on_device(Stage::Variant::updates));
  add("launches", "classical", 12, [&](SolveRow& row, Operator const& op) {
    auto const jacobi = make_jacobi(exec, bench.A);
    auto const options = of_library(Execution::launches, Recurrence::classical);
    CgWorkspace<double, Exec> const workspace(exec, op, jacobi, options);
    set_solve(bench, row, options,
              [=](SolverOptions const& with) { return pcg(exec, op, jacobi, b, x, with, workspace); });
  });
  add("device_scalars", "one_pass", 11, on_device(Stage::Variant::one_pass));
  add("launches", "scaled", 8, scaled(Execution::launches));
  add("graph", "scaled", 8, [&](SolveRow& row, Operator const& op) {
    require<InvalidArgument>(is_gpu<Exec>, "this backend has no graphs");
    scaled(Execution::graph)(row, op);
  });
}

}  // namespace einkorn::perf
