// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "peers/cublas_library.hpp"
#include "support/textbook.hpp"

#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <utility>

namespace einkorn::perf {

/// The scalars of an iteration, in device memory.
struct IterationScalars {
  double rho, rho_new, curvature, alpha, minus_alpha, beta, omega, minus_omega, ts, tt;
};

enum class ScalarStep { reset, alpha, beta, bicgstab_beta, omega };

/// The divisions between two calls of cuBLAS, by one thread.
struct DivideScalars {
  ScalarStep step;
  Kokkos::View<IterationScalars, Device> of;

  KOKKOS_FUNCTION void operator()(int) const {
    auto& s = of();
    switch (step) {
      case ScalarStep::reset:  // for BiCGStab, with p = v = 0; what CG needs of them is set by its first dot
        s.rho = s.alpha = s.omega = 1.0;
        s.minus_omega = -1.0;
        break;
      case ScalarStep::alpha:
        s.alpha = s.rho / s.curvature;
        s.minus_alpha = -s.alpha;
        break;
      case ScalarStep::beta:
        s.beta = s.rho_new / s.rho;
        s.rho = s.rho_new;
        break;
      case ScalarStep::bicgstab_beta:
        s.beta = (s.rho_new / s.rho) * (s.alpha / s.omega);
        s.rho = s.rho_new;
        break;
      case ScalarStep::omega:
        s.omega = s.ts / s.tt;
        s.minus_omega = -s.omega;
        break;
    }
  }
};

/// The textbook's iteration in cuBLAS' device pointer mode: nothing returns to the host, convergence is not
/// read. Every iteration enqueues the same calls, so that it can be captured.
class CublasDeviceSolve {
 public:
  CublasDeviceSolve(SolveBench const& bench, std::shared_ptr<CublasLibrary const> library)
      : exec_(bench.exec),
        method_(bench.method),
        b_(bench.b),
        x_(bench.x),
        library_(std::move(library)),
        of_(bench.method, bench.size()),
        scalars_("einkorn::perf::scalars") {}

  /// x = 0, and the vectors and scalars before the first iteration.
  void start() const {
    library_->zero(x_);
    library_->copy(b_, of_.r);
    step(ScalarStep::reset);
    switch (method_) {
      case Method::cg:
        library_->copy(of_.r, of_.p);
        library_->dot(of_.r, of_.r, &at()->rho);
        break;
      case Method::jacobi_pcg:
        library_->precondition(of_.r, of_.z);
        library_->copy(of_.z, of_.p);
        library_->dot(of_.r, of_.z, &at()->rho);
        break;
      case Method::bicgstab:
        library_->copy(of_.r, of_.shadow);
        library_->zero(of_.p);
        library_->zero(of_.q);
        library_->dot(of_.shadow, of_.r, &at()->rho_new);
        break;
    }
  }

  void iterate() const {
    if (method_ == Method::bicgstab)
      iterate_bicgstab();
    else
      iterate_cg(method_ == Method::cg ? of_.r : of_.z);
  }

 private:
  void iterate_cg(DenseVector<double> const& z) const {
    library_->multiply(of_.p, of_.q);
    library_->dot(of_.p, of_.q, &at()->curvature);
    step(ScalarStep::alpha);
    library_->axpy(&at()->alpha, of_.p, x_);
    library_->axpy(&at()->minus_alpha, of_.q, of_.r);
    if (method_ == Method::jacobi_pcg) library_->precondition(of_.r, of_.z);
    library_->dot(of_.r, z, &at()->rho_new);
    step(ScalarStep::beta);
    library_->xpay(z, &at()->beta, of_.p);
  }

  void iterate_bicgstab() const {
    step(ScalarStep::bicgstab_beta);
    library_->axpy(&at()->minus_omega, of_.q, of_.p);
    library_->xpay(of_.r, &at()->beta, of_.p);
    library_->multiply(of_.p, of_.q);
    library_->dot(of_.shadow, of_.q, &at()->curvature);
    step(ScalarStep::alpha);
    library_->axpy(&at()->minus_alpha, of_.q, of_.r);
    library_->multiply(of_.r, of_.z);
    library_->dot(of_.z, of_.r, &at()->ts);
    library_->dot(of_.z, of_.z, &at()->tt);
    step(ScalarStep::omega);
    library_->axpy(&at()->alpha, of_.p, x_);
    library_->axpy(&at()->omega, of_.r, x_);
    library_->axpy(&at()->minus_omega, of_.z, of_.r);
    library_->dot(of_.shadow, of_.r, &at()->rho_new);
  }

  void step(ScalarStep what) const {
    Kokkos::parallel_for("einkorn::perf::scalars", light_weight(Kokkos::RangePolicy<Exec>(exec_, 0, 1)),
                         DivideScalars{what, scalars_});
  }
  [[nodiscard]] IterationScalars* at() const { return scalars_.data(); }  // its members' addresses only

  Exec exec_;
  Method method_;
  DenseVector<double const> b_;
  DenseVector<double> x_;
  std::shared_ptr<CublasLibrary const> library_;
  TextbookVectors of_;
  Kokkos::View<IterationScalars, Device> scalars_;
};

}  // namespace einkorn::perf
