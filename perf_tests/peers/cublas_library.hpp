// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/solve.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/vendor/cusparse_spmv.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cublas_v2.h>
#include <memory>
#include <string>
#include <type_traits>

namespace einkorn::perf {

inline void check_cublas(cublasStatus_t status, char const* call) {
  require<vendor::CusparseError>(status == CUBLAS_STATUS_SUCCESS,
                                 [&] { return std::string(call) + ": " + cublasGetStatusString(status); });
}

enum class CublasScalars { on_host, on_device };

/// cusparseSpMV and cuBLAS on the stream of the bench. The scalars of dot, axpy and xpay are on the host (each
/// dot synchronizes) or on the device (no synchronization).
class CublasLibrary {
  using Vector = DenseVector<double>;
  using ConstVector = DenseVector<double const>;

 public:
  static constexpr std::size_t xpay_vectors = 5;  // scal and axpy, because cuBLAS has no axpby

  CublasLibrary(SolveBench const& bench, cusparseSpMVAlg_t algorithm, vendor::CusparsePreprocess preprocess,
                CublasScalars scalars)
      : exec_(bench.exec),
        spmv_(bench.exec, bench.A, algorithm, preprocess),
        one_("einkorn::perf::one"),
        inverse_diagonal_(bench.inverse_diagonal) {
    cublasHandle_t raw = nullptr;
    check_cublas(cublasCreate(&raw), "cublasCreate");
    handle_.reset(raw);
    check_cublas(cublasSetStream(raw, exec_.cuda_stream()), "cublasSetStream");
    bool const on_device = scalars == CublasScalars::on_device;
    auto const mode = on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST;
    check_cublas(cublasSetPointerMode(raw, mode), "cublasSetPointerMode");
    Kokkos::deep_copy(exec_, one_, 1.0);
    exec_.fence();
    one_pointer_ = on_device ? one_.data() : &host_one;
  }

  void multiply(ConstVector const& x, Vector const& y) const { spmv_(1.0, x, 0.0, y); }
  void copy(ConstVector const& x, Vector const& y) const {
    check_cublas(cublasDcopy(handle_.get(), size(x), x.data(), 1, y.data(), 1), "cublasDcopy");
  }
  void zero(Vector const& y) const { Kokkos::deep_copy(exec_, y, 0.0); }
  void precondition(ConstVector const& r, Vector const& z) const {
    int const n = size(r);
    check_cublas(cublasDdgmm(handle_.get(), CUBLAS_SIDE_LEFT, n, 1, r.data(), n, inverse_diagonal_.data(), 1,
                             z.data(), n),
                 "cublasDdgmm");
  }

  /// Host scalars.
  [[nodiscard]] double dot(ConstVector const& x, ConstVector const& y) const {
    double sum = 0.0;
    dot(x, y, &sum);
    return sum;
  }
  void axpy(double a, ConstVector const& x, Vector const& y) const { axpy(&a, x, y); }
  void xpay(ConstVector const& x, double a, Vector const& y) const { xpay(x, &a, y); }

  /// Scalars in the memory of the pointer mode.
  void dot(ConstVector const& x, ConstVector const& y, double* sum) const {
    check_cublas(cublasDdot(handle_.get(), size(x), x.data(), 1, y.data(), 1, sum), "cublasDdot");
  }
  void axpy(double const* a, ConstVector const& x, Vector const& y) const {
    check_cublas(cublasDaxpy(handle_.get(), size(x), a, x.data(), 1, y.data(), 1), "cublasDaxpy");
  }
  void xpay(ConstVector const& x, double const* a, Vector const& y) const {
    check_cublas(cublasDscal(handle_.get(), size(y), a, y.data(), 1), "cublasDscal");
    axpy(one_pointer_, x, y);
  }

 private:
  struct Destroy {
    void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
  };
  static int size(ConstVector const& x) { return static_cast<int>(x.extent(0)); }
  static constexpr double host_one = 1.0;

  Exec exec_;
  vendor::CusparseSpmv<double> spmv_;
  Kokkos::View<double, Device> one_;
  double const* one_pointer_ = nullptr;
  ConstVector inverse_diagonal_;
  std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, Destroy> handle_;
};

}  // namespace einkorn::perf
