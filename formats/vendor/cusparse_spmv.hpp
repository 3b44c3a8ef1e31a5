// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/csr.hpp>

#include <Kokkos_Core.hpp>
#include <cusparse.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

/// The SpMV of cuSPARSE, for comparisons. Nothing else in Einkorn uses it.
namespace einkorn::vendor {

/// A cuSPARSE call failed; the message has the call and the reason.
struct CusparseError : Error {
  using Error::Error;
};

inline void check_cusparse(cusparseStatus_t status, char const* call) {
  require<CusparseError>(status == CUSPARSE_STATUS_SUCCESS,
                         [&] { return std::string(call) + ": " + cusparseGetErrorString(status); });
}

template <class Scalar>
constexpr cudaDataType cusparse_scalar() {
  if constexpr (std::is_same_v<Scalar, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<Scalar, double>) return CUDA_R_64F;
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<float>>) return CUDA_C_32F;
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<double>>) return CUDA_C_64F;
}

template <class Index>
constexpr cusparseIndexType_t cusparse_index() {
  static_assert(sizeof(Index) == 4 || sizeof(Index) == 8);
  return sizeof(Index) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
}

/// A cuSPARSE handle bound to the stream of an execution space instance.
class CusparseHandle {
 public:
  explicit CusparseHandle(Kokkos::Cuda const& exec) {
    cusparseHandle_t raw = nullptr;
    check_cusparse(cusparseCreate(&raw), "cusparseCreate");
    handle_.reset(raw);
    check_cusparse(cusparseSetStream(raw, exec.cuda_stream()), "cusparseSetStream");
  }
  [[nodiscard]] cusparseHandle_t get() const { return handle_.get(); }

 private:
  struct Destroy {
    void operator()(cusparseHandle_t handle) const { cusparseDestroy(handle); }
  };
  std::unique_ptr<std::remove_pointer_t<cusparseHandle_t>, Destroy> handle_;
};

namespace detail {

template <class Matrix, class Rows>
struct CusparseFillRows {
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  Rows rows;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    auto const row = static_cast<Ordinal>(team.league_rank());
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, A.row_begin(row), A.row_end(row)),
                         [&](Offset k) { rows(k) = row; });
  }
};

/// rows(k) <- the row of entry k.
template <class Matrix, class Rows>
void fill_rows(Kokkos::Cuda const& exec, Matrix const& A, Rows const& rows) {
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda>;
  Kokkos::parallel_for("einkorn::CusparseCoo", Policy(exec, static_cast<int>(A.num_rows), 32),
                       CusparseFillRows<Matrix, Rows>{A, rows});
}

template <class Matrix, class Ends>
struct CusparseSliceEnds {
  using Ordinal = typename Matrix::ordinal_type;

  Matrix A;
  int slice_size;
  Ends ends;

  KOKKOS_FUNCTION void operator()(std::size_t slice, std::int64_t& sum, bool is_final) const {
    std::int64_t width = 0;
    for (int i = 0; i < slice_size; ++i) {
      auto const row = static_cast<Ordinal>(slice) * slice_size + i;
      if (row >= A.num_rows) break;
      auto const length = static_cast<std::int64_t>(A.row_end(row) - A.row_begin(row));
      width = length > width ? length : width;
    }
    sum += width * slice_size;
    if (is_final) ends(slice) = sum;
  }
};

/// ends(s) <- number of entries stored in the slices 0 .. s; returns the total.
template <class Matrix, class Ends>
std::int64_t slice_ends(Kokkos::Cuda const& exec, Matrix const& A, int slice_size, Ends const& ends) {
  std::int64_t stored = 0;
  Kokkos::parallel_scan("einkorn::CusparseSell::measure",
                        Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, ends.extent(0)),
                        CusparseSliceEnds<Matrix, Ends>{A, slice_size, ends}, stored);
  return stored;
}

template <class Matrix, class Ends, class Ordinals, class Values>
struct CusparseFillSlices {
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;

  Matrix A;
  int slice_size;
  Ends ends;
  Ordinals slice_offsets, columns;
  Values values;
  std::size_t slices;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const slice = i / static_cast<std::size_t>(slice_size);
    std::int64_t const begin = slice == 0 ? 0 : ends(slice - 1);
    if (i % static_cast<std::size_t>(slice_size) == 0) slice_offsets(slice) = static_cast<Ordinal>(begin);
    if (slice == slices) return;
    auto const row = static_cast<Ordinal>(i);
    bool const real = row < A.num_rows;
    Offset const first = real ? A.row_begin(row) : Offset(0), last = real ? A.row_end(row) : Offset(0);
    auto k = first;
    for (auto at = begin + static_cast<std::int64_t>(i % static_cast<std::size_t>(slice_size));
         at < ends(slice); at += slice_size, ++k) {
      columns(at) = k < last ? A.columns(k) : Ordinal(-1);
      values(at) = k < last ? A.values(k) : typename Values::value_type(0);
    }
  }
};

template <class Matrix, class Ends, class Ordinals, class Values>
void fill_slices(Kokkos::Cuda const& exec, Matrix const& A, int slice_size, Ends const& ends,
                 Ordinals const& slice_offsets, Ordinals const& columns, Values const& values) {
  auto const slices = ends.extent(0);
  auto const padded = slices * static_cast<std::size_t>(slice_size);
  Kokkos::parallel_for("einkorn::CusparseSell::fill", Kokkos::RangePolicy<Kokkos::Cuda>(exec, 0, padded + 1),
                       CusparseFillSlices<Matrix, Ends, Ordinals, Values>{A, slice_size, ends, slice_offsets,
                                                                          columns, values, slices});
}

}  // namespace detail

/// A as coordinates: the row of every entry, and A's columns and values, which are shared.
template <class Scalar, class Ordinal, class Offset>
struct CusparseCoo {
  using Matrix = Csr<Scalar, Ordinal, Offset, Kokkos::Cuda::device_type>;
  Matrix A;
  Kokkos::View<Ordinal*, Kokkos::Cuda::device_type> rows;  // [nnz]

  CusparseCoo(Kokkos::Cuda const& exec, Matrix const& matrix)
      : A(matrix), rows(allocate<decltype(rows)>(exec, "einkorn::CusparseCoo::rows", matrix.values.extent(0))) {
    detail::fill_rows(exec, A, rows);
  }
};

/// A in sliced ELLPACK: slices of slice_size rows, each as wide as its longest row, column by column; padding
/// has column -1. Throws FillLimit if more than fill_limit entries per entry of A would be stored.
template <class Scalar, class Ordinal>
struct CusparseSell {
  using Device = Kokkos::Cuda::device_type;
  Ordinal num_rows = 0, num_cols = 0;
  std::int64_t nnz = 0, stored = 0;
  int slice_size = 0;
  Kokkos::View<Ordinal*, Device> slice_offsets;               // [slices + 1]
  Kokkos::View<Ordinal*, Device> columns;                     // [stored]
  Kokkos::View<std::remove_const_t<Scalar>*, Device> values;  // [stored]

  template <class Offset>
  CusparseSell(Kokkos::Cuda const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A, int rows_per_slice = 32,
               double fill_limit = 3.0)
      : num_rows(A.num_rows),
        num_cols(A.num_cols),
        nnz(static_cast<std::int64_t>(A.nnz())),
        slice_size(rows_per_slice) {
    auto const slices = (static_cast<std::size_t>(num_rows) + static_cast<std::size_t>(slice_size) - 1) /
                        static_cast<std::size_t>(slice_size);
    auto const ends =
        allocate<Kokkos::View<std::int64_t*, Device>>(exec, "einkorn::CusparseSell::ends", slices);
    stored = detail::slice_ends(exec, A, slice_size, ends);
    auto const limit = fill_limit * static_cast<double>(nnz) + 1024.0;
    require<FillLimit>(static_cast<double>(stored) <= limit, [&] {
      return "SELL stores " + std::to_string(stored) + " entries for " + std::to_string(nnz) +
             ", the limit is " + std::to_string(static_cast<std::int64_t>(limit));
    });
    require<OverflowError>(stored <= static_cast<std::int64_t>(std::numeric_limits<Ordinal>::max()), [&] {
      return "SELL stores " + std::to_string(stored) + " entries, which Ordinal cannot count; int64_t would do";
    });
    slice_offsets = allocate<decltype(slice_offsets)>(exec, "einkorn::CusparseSell::slice_offsets", slices + 1);
    columns =
        allocate<decltype(columns)>(exec, "einkorn::CusparseSell::columns", static_cast<std::size_t>(stored));
    values =
        allocate<decltype(values)>(exec, "einkorn::CusparseSell::values", static_cast<std::size_t>(stored));
    detail::fill_slices(exec, A, slice_size, ends, slice_offsets, columns, values);
  }
};

/// Row-major blocks of block_size x block_size, for matrices that consist of whole blocks; the arrays are
/// shared. cusparse_bsr_spmv.hpp makes one from a Bsr.
template <class Scalar, class Ordinal, class Offset>
struct CusparseBsr {
  using Device = Kokkos::Cuda::device_type;
  Ordinal num_block_rows = 0, num_block_cols = 0;
  int block_size = 1;
  Kokkos::View<Offset const*, Device> row_offsets;  // [num_block_rows + 1]
  Kokkos::View<Ordinal const*, Device> columns;     // [blocks]
  Kokkos::View<Scalar const*, Device> values;       // [blocks * block_size^2]
};

enum class CusparsePreprocess { off, on };

/// y <- alpha A x + beta y by cusparseSpMV, for one matrix and one algorithm, on the instance it was made with.
/// Shares the memory of the matrix. Throws CusparseError (also for unsupported types).
template <class Scalar>
class CusparseSpmv {
 public:
  using Vector = Kokkos::View<Scalar*, Kokkos::Cuda::device_type>;
  using ConstVector = Kokkos::View<Scalar const*, Kokkos::Cuda::device_type>;

  /// algorithm: CUSPARSE_SPMV_CSR_ALG1 or _ALG2.
  template <class Given, class Ordinal, class Offset>
  CusparseSpmv(Kokkos::Cuda const& exec, Csr<Given, Ordinal, Offset, Kokkos::Cuda::device_type> const& A,
               cusparseSpMVAlg_t algorithm, CusparsePreprocess preprocess)
      : handle_(exec), algorithm_(algorithm), owner_(share(A)) {
    cusparseConstSpMatDescr_t raw = nullptr;
    check_cusparse(cusparseCreateConstCsr(&raw, A.num_rows, A.num_cols, static_cast<std::int64_t>(A.nnz()),
                                          A.row_offsets.data(), A.columns.data(), A.values.data(),
                                          cusparse_index<Offset>(), cusparse_index<Ordinal>(),
                                          CUSPARSE_INDEX_BASE_ZERO, cusparse_scalar<Scalar>()),
                   "cusparseCreateConstCsr");
    matrix_.reset(raw);
    prepare(exec, A.num_rows, A.num_cols, preprocess);
  }

  /// algorithm: CUSPARSE_SPMV_COO_ALG1 or _ALG2.
  template <class Given, class Ordinal, class Offset>
  CusparseSpmv(Kokkos::Cuda const& exec, CusparseCoo<Given, Ordinal, Offset> const& F,
               cusparseSpMVAlg_t algorithm)
      : handle_(exec), algorithm_(algorithm), owner_(share(F)) {
    cusparseConstSpMatDescr_t raw = nullptr;
    check_cusparse(
        cusparseCreateConstCoo(&raw, F.A.num_rows, F.A.num_cols, static_cast<std::int64_t>(F.A.nnz()),
                               F.rows.data(), F.A.columns.data(), F.A.values.data(), cusparse_index<Ordinal>(),
                               CUSPARSE_INDEX_BASE_ZERO, cusparse_scalar<Scalar>()),
        "cusparseCreateConstCoo");
    matrix_.reset(raw);
    prepare(exec, F.A.num_rows, F.A.num_cols, CusparsePreprocess::off);
  }

  template <class Given, class Ordinal>
  CusparseSpmv(Kokkos::Cuda const& exec, CusparseSell<Given, Ordinal> const& F)
      : handle_(exec), algorithm_(CUSPARSE_SPMV_SELL_ALG1), owner_(share(F)) {
    cusparseConstSpMatDescr_t raw = nullptr;
    check_cusparse(cusparseCreateConstSlicedEll(&raw, F.num_rows, F.num_cols, F.nnz, F.stored, F.slice_size,
                                                F.slice_offsets.data(), F.columns.data(), F.values.data(),
                                                cusparse_index<Ordinal>(), cusparse_index<Ordinal>(),
                                                CUSPARSE_INDEX_BASE_ZERO, cusparse_scalar<Scalar>()),
                   "cusparseCreateConstSlicedEll");
    matrix_.reset(raw);
    prepare(exec, F.num_rows, F.num_cols, CusparsePreprocess::off);
  }

#if CUSPARSE_VERSION >= 12603
  template <class Given, class Ordinal, class Offset>
  CusparseSpmv(Kokkos::Cuda const& exec, CusparseBsr<Given, Ordinal, Offset> const& F)
      : handle_(exec), algorithm_(CUSPARSE_SPMV_BSR_ALG1), owner_(share(F)) {
    cusparseConstSpMatDescr_t raw = nullptr;
    check_cusparse(cusparseCreateConstBsr(
                       &raw, F.num_block_rows, F.num_block_cols, static_cast<std::int64_t>(F.columns.extent(0)),
                       F.block_size, F.block_size, F.row_offsets.data(), F.columns.data(), F.values.data(),
                       cusparse_index<Offset>(), cusparse_index<Ordinal>(), CUSPARSE_INDEX_BASE_ZERO,
                       cusparse_scalar<Scalar>(), CUSPARSE_ORDER_ROW),
                   "cusparseCreateConstBsr");
    matrix_.reset(raw);
    prepare(exec, std::int64_t(F.num_block_rows) * F.block_size, std::int64_t(F.num_block_cols) * F.block_size,
            CusparsePreprocess::off);
  }
#endif

  /// Asynchronous; x [columns], y [rows].
  void operator()(Scalar alpha, ConstVector const& x, Scalar beta, Vector const& y) const {
    require<DimensionMismatch>(
        static_cast<std::int64_t>(x.extent(0)) == num_cols_ &&
            static_cast<std::int64_t>(y.extent(0)) == num_rows_,
        "CusparseSpmv: x needs as many entries as the matrix has columns, y as many as rows");
    check_cusparse(cusparseDnVecSetValues(x_.get(), const_cast<Scalar*>(x.data())), "cusparseDnVecSetValues");
    check_cusparse(cusparseDnVecSetValues(y_.get(), y.data()), "cusparseDnVecSetValues");
    check_cusparse(
        cusparseSpMV(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix_.get(), x_.get(), &beta,
                     y_.get(), cusparse_scalar<Scalar>(), algorithm_, buffer_.data()),
        "cusparseSpMV");
  }

 private:
  struct Destroy {
    void operator()(cusparseConstSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
    void operator()(cusparseDnVecDescr_t vector) const { cusparseDestroyDnVec(vector); }
  };
  using Matrix = std::unique_ptr<std::remove_pointer_t<cusparseConstSpMatDescr_t>, Destroy>;
  using DenseVector = std::unique_ptr<std::remove_pointer_t<cusparseDnVecDescr_t>, Destroy>;

  template <class T>
  static std::shared_ptr<void const> share(T const& value) {
    return std::make_shared<T const>(value);
  }
  static DenseVector dense(std::int64_t size, void* values) {
    cusparseDnVecDescr_t raw = nullptr;
    check_cusparse(cusparseCreateDnVec(&raw, size, values, cusparse_scalar<Scalar>()), "cusparseCreateDnVec");
    return DenseVector(raw);
  }

  void prepare(Kokkos::Cuda const& exec, std::int64_t num_rows, std::int64_t num_cols,
               CusparsePreprocess preprocess) {
    num_rows_ = num_rows;
    num_cols_ = num_cols;
    auto const x = allocate_zeros<Vector>(exec, "einkorn::CusparseSpmv::x", num_cols);
    auto const y = allocate_zeros<Vector>(exec, "einkorn::CusparseSpmv::y", num_rows);
    x_ = dense(num_cols, x.data());
    y_ = dense(num_rows, y.data());
    Scalar const alpha(1), beta(0);
    auto const none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    auto const type = cusparse_scalar<Scalar>();
    std::size_t bytes = 0;
    check_cusparse(cusparseSpMV_bufferSize(handle_.get(), none, &alpha, matrix_.get(), x_.get(), &beta,
                                           y_.get(), type, algorithm_, &bytes),
                   "cusparseSpMV_bufferSize");
    buffer_ = allocate<decltype(buffer_)>(exec, "einkorn::CusparseSpmv::buffer", bytes);
    if (preprocess == CusparsePreprocess::on)
      check_cusparse(cusparseSpMV_preprocess(handle_.get(), none, &alpha, matrix_.get(), x_.get(), &beta,
                                             y_.get(), type, algorithm_, buffer_.data()),
                     "cusparseSpMV_preprocess");
    exec.fence("einkorn::CusparseSpmv: x and y of the setup are released");
  }

  CusparseHandle handle_;
  cusparseSpMVAlg_t algorithm_;
  std::shared_ptr<void const> owner_;
  std::int64_t num_rows_ = 0, num_cols_ = 0;
  Matrix matrix_;
  DenseVector x_, y_;
  Kokkos::View<char*, Kokkos::Cuda::device_type> buffer_;
};

}  // namespace einkorn::vendor
