// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/bsr/bsr.hpp>
#include <einkorn/formats/vendor/cusparse_spmv.hpp>

#include <Kokkos_Core.hpp>
#include <cusparse.h>

#include <cuComplex.h>
#include <memory>
#include <string>
#include <type_traits>

namespace einkorn::vendor {

/// The arrays of F for cuSPARSE. Throws InvalidArgument if the block size does not divide the rows and columns,
/// since cuSPARSE would then access elements past the vectors.
template <class Scalar, class Ordinal, class Offset>
CusparseBsr<Scalar, Ordinal, Offset> cusparse_bsr(
    Bsr<Scalar, Ordinal, Offset, Kokkos::Cuda::device_type> const& F) {
  require<InvalidArgument>(F.num_rows % F.block_size == 0 && F.num_cols % F.block_size == 0, [&] {
    return "cusparse_bsr: blocks of " + std::to_string(F.block_size) + " do not divide " +
           std::to_string(F.num_rows) + " x " + std::to_string(F.num_cols);
  });
  return {F.num_block_rows, F.num_block_cols, F.block_size, F.row_offsets, F.columns, F.values};
}

/// y <- alpha A x + beta y by cusparse<t>bsrmv, the predecessor of cusparseSpMV; block sizes of 2 or more,
/// 32-bit indices. Shares the memory of F. Asynchronous, without workspace. Throws CusparseError.
template <class Scalar>
class CusparseBsrmv {
 public:
  CusparseBsrmv(Kokkos::Cuda const& exec, CusparseBsr<Scalar, int, int> const& F) : handle_(exec), F_(F) {
    cusparseMatDescr_t raw = nullptr;
    check_cusparse(cusparseCreateMatDescr(&raw), "cusparseCreateMatDescr");
    description_.reset(raw);
  }

  /// x [columns], y [rows]
  void operator()(Scalar alpha, Kokkos::View<Scalar const*, Kokkos::Cuda::device_type> const& x, Scalar beta,
                  Kokkos::View<Scalar*, Kokkos::Cuda::device_type> const& y) const {
    auto const call = [&](auto function, auto like) {
      using T = decltype(like);
      check_cusparse(function(handle_.get(), CUSPARSE_DIRECTION_ROW, CUSPARSE_OPERATION_NON_TRANSPOSE,
                              F_.num_block_rows, F_.num_block_cols, static_cast<int>(F_.columns.extent(0)),
                              reinterpret_cast<T const*>(&alpha), description_.get(),
                              reinterpret_cast<T const*>(F_.values.data()), F_.row_offsets.data(),
                              F_.columns.data(), F_.block_size, reinterpret_cast<T const*>(x.data()),
                              reinterpret_cast<T const*>(&beta), reinterpret_cast<T*>(y.data())),
                     "cusparse<t>bsrmv");
    };
    if constexpr (std::is_same_v<Scalar, float>) call(cusparseSbsrmv, float());
    if constexpr (std::is_same_v<Scalar, double>) call(cusparseDbsrmv, double());
    if constexpr (std::is_same_v<Scalar, Kokkos::complex<float>>) call(cusparseCbsrmv, cuComplex());
    if constexpr (std::is_same_v<Scalar, Kokkos::complex<double>>) call(cusparseZbsrmv, cuDoubleComplex());
  }

 private:
  struct Destroy {
    void operator()(cusparseMatDescr_t description) const { cusparseDestroyMatDescr(description); }
  };
  CusparseHandle handle_;
  CusparseBsr<Scalar, int, int> F_;
  std::unique_ptr<std::remove_pointer_t<cusparseMatDescr_t>, Destroy> description_;
};

}  // namespace einkorn::vendor
