// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/vendor/cusparse_spmv.hpp>

#include <Kokkos_Core.hpp>
#include <cusparse.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace einkorn::vendor {

/// Y <- alpha A X + beta Y by cusparseSpMM, for a fixed CSR, algorithm, X and Y. X and Y are contiguous and
/// have the same layout (LayoutLeft or LayoutRight). Shares their memory. Throws CusparseError.
template <class Scalar, class Layout>
class CusparseSpmm {
 public:
  using Device = Kokkos::Cuda::device_type;
  using Multivector = Kokkos::View<Scalar**, Layout, Device>;
  using ConstMultivector = Kokkos::View<Scalar const**, Layout, Device>;

  /// algorithm: CUSPARSE_SPMM_ALG_DEFAULT or CUSPARSE_SPMM_CSR_ALG1, _ALG2, _ALG3.
  template <class Given, class Ordinal, class Offset>
  CusparseSpmm(Kokkos::Cuda const& exec, Csr<Given, Ordinal, Offset, Device> const& A,
               ConstMultivector const& x, Multivector const& y, cusparseSpMMAlg_t algorithm,
               CusparsePreprocess preprocess)
      : handle_(exec),
        algorithm_(algorithm),
        owner_(std::make_shared<Csr<Given, Ordinal, Offset, Device> const>(A)),
        x_view_(x),
        y_view_(y) {
    cusparseConstSpMatDescr_t raw = nullptr;
    check_cusparse(cusparseCreateConstCsr(&raw, A.num_rows, A.num_cols, static_cast<std::int64_t>(A.nnz()),
                                          A.row_offsets.data(), A.columns.data(), A.values.data(),
                                          cusparse_index<Offset>(), cusparse_index<Ordinal>(),
                                          CUSPARSE_INDEX_BASE_ZERO, type),
                   "cusparseCreateConstCsr");
    matrix_.reset(raw);
    x_ = dense(x.extent(0), x.extent(1), const_cast<Scalar*>(x.data()));
    y_ = dense(y.extent(0), y.extent(1), y.data());
    Scalar const alpha(1), beta(0);
    std::size_t bytes = 0;
    check_cusparse(cusparseSpMM_bufferSize(handle_.get(), none, none, &alpha, matrix_.get(), x_.get(), &beta,
                                           y_.get(), type, algorithm_, &bytes),
                   "cusparseSpMM_bufferSize");
    buffer_ = allocate<decltype(buffer_)>(exec, "einkorn::CusparseSpmm::buffer", bytes);
    if (preprocess == CusparsePreprocess::on)
      check_cusparse(cusparseSpMM_preprocess(handle_.get(), none, none, &alpha, matrix_.get(), x_.get(), &beta,
                                             y_.get(), type, algorithm_, buffer_.data()),
                     "cusparseSpMM_preprocess");
  }

  /// Asynchronous.
  void operator()(Scalar alpha, Scalar beta) const {
    check_cusparse(cusparseSpMM(handle_.get(), none, none, &alpha, matrix_.get(), x_.get(), &beta, y_.get(),
                                type, algorithm_, buffer_.data()),
                   "cusparseSpMM");
  }

 private:
  static constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr cudaDataType type = cusparse_scalar<Scalar>();
  struct Destroy {
    void operator()(cusparseConstSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
    void operator()(cusparseDnMatDescr_t matrix) const { cusparseDestroyDnMat(matrix); }
  };
  using Dense = std::unique_ptr<std::remove_pointer_t<cusparseDnMatDescr_t>, Destroy>;

  static Dense dense(std::size_t rows, std::size_t columns, Scalar* values) {
    constexpr bool by_row = std::is_same_v<Layout, Kokkos::LayoutRight>;
    cusparseDnMatDescr_t raw = nullptr;
    check_cusparse(
        cusparseCreateDnMat(&raw, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns),
                            static_cast<std::int64_t>(by_row ? columns : rows), values, type,
                            by_row ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    return Dense(raw);
  }

  CusparseHandle handle_;
  cusparseSpMMAlg_t algorithm_;
  std::shared_ptr<void const> owner_;
  ConstMultivector x_view_;
  Multivector y_view_;
  std::unique_ptr<std::remove_pointer_t<cusparseConstSpMatDescr_t>, Destroy> matrix_;
  Dense x_, y_;
  Kokkos::View<char*, Device> buffer_;
};

}  // namespace einkorn::vendor
