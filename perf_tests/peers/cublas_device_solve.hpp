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

/// The scalars of an iteration.
struct IterationScalars {
  double rho, rho_new, curvature, alpha, minus_alpha, beta, omega, minus_omega, ts, tt;
};

enum class ScalarStep { reset, alpha, beta, bicgstab_beta, omega };

/// The scalar operations between two calls of cuBLAS, run by one thread.
struct DivideScalars {
  ScalarStep step;
  Kokkos::View<IterationScalars, Device> scalars;

  KOKKOS_FUNCTION void operator()(int) const {
    auto& s = scalars();
    switch (step) {
      case ScalarStep::reset:  // for BiCGStab, with p = v = 0; CG sets its scalars by its first dot product
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

/// The textbook iteration in the device pointer mode of cuBLAS: no scalar is copied to the host and convergence
/// is not tested. Every iteration enqueues the same calls, so that it can be captured.
class CublasDeviceSolve {
 public:
  CublasDeviceSolve(SolveBench const& bench, std::shared_ptr<CublasLibrary const> library)
      : exec_(bench.exec),
        method_(bench.method),
        b_(bench.b),
        x_(bench.x),
        library_(std::move(library)),
        vectors_(bench.method, bench.size()),
        scalars_("einkorn::perf::scalars") {}

  /// Sets x = 0, and the vectors and scalars before the first iteration.
  void start() const {
    library_->zero(x_);
    library_->copy(b_, vectors_.r);
    step(ScalarStep::reset);
    switch (method_) {
      case Method::cg:
        library_->copy(vectors_.r, vectors_.p);
        library_->dot(vectors_.r, vectors_.r, &scalars()->rho);
        break;
      case Method::jacobi_pcg:
        library_->precondition(vectors_.r, vectors_.z);
        library_->copy(vectors_.z, vectors_.p);
        library_->dot(vectors_.r, vectors_.z, &scalars()->rho);
        break;
      case Method::bicgstab:
        library_->copy(vectors_.r, vectors_.shadow);
        library_->zero(vectors_.p);
        library_->zero(vectors_.q);
        library_->dot(vectors_.shadow, vectors_.r, &scalars()->rho_new);
        break;
    }
  }

  void iterate() const {
    if (method_ == Method::bicgstab)
      iterate_bicgstab();
    else
      iterate_cg(method_ == Method::cg ? vectors_.r : vectors_.z);
  }

 private:
  void iterate_cg(DenseVector<double> const& z) const {
    library_->multiply(vectors_.p, vectors_.q);
    library_->dot(vectors_.p, vectors_.q, &scalars()->curvature);
    step(ScalarStep::alpha);
    library_->axpy(&scalars()->alpha, vectors_.p, x_);
    library_->axpy(&scalars()->minus_alpha, vectors_.q, vectors_.r);
    if (method_ == Method::jacobi_pcg) library_->precondition(vectors_.r, vectors_.z);
    library_->dot(vectors_.r, z, &scalars()->rho_new);
    step(ScalarStep::beta);
    library_->xpay(z, &scalars()->beta, vectors_.p);
  }

  void iterate_bicgstab() const {
    step(ScalarStep::bicgstab_beta);
    library_->axpy(&scalars()->minus_omega, vectors_.q, vectors_.p);
    library_->xpay(vectors_.r, &scalars()->beta, vectors_.p);
    library_->multiply(vectors_.p, vectors_.q);
    library_->dot(vectors_.shadow, vectors_.q, &scalars()->curvature);
    step(ScalarStep::alpha);
    library_->axpy(&scalars()->minus_alpha, vectors_.q, vectors_.r);
    library_->multiply(vectors_.r, vectors_.z);
    library_->dot(vectors_.z, vectors_.r, &scalars()->ts);
    library_->dot(vectors_.z, vectors_.z, &scalars()->tt);
    step(ScalarStep::omega);
    library_->axpy(&scalars()->alpha, vectors_.p, x_);
    library_->axpy(&scalars()->omega, vectors_.r, x_);
    library_->axpy(&scalars()->minus_omega, vectors_.z, vectors_.r);
    library_->dot(vectors_.shadow, vectors_.r, &scalars()->rho_new);
  }

  void step(ScalarStep operation) const {
    Kokkos::parallel_for("einkorn::perf::scalars", light_weight(Kokkos::RangePolicy<Exec>(exec_, 0, 1)),
                         DivideScalars{operation, scalars_});
  }
  /// A device address, used only for the addresses of members.
  [[nodiscard]] IterationScalars* scalars() const { return scalars_.data(); }

  Exec exec_;
  Method method_;
  DenseVector<double const> b_;
  DenseVector<double> x_;
  std::shared_ptr<CublasLibrary const> library_;
  TextbookVectors vectors_;
  Kokkos::View<IterationScalars, Device> scalars_;
};

}  // namespace einkorn::perf
