// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/spgemm.hpp"

#ifdef EINKORN_WITH_CUSPARSE
#include <einkorn/core/allocate.hpp>
#include <einkorn/formats/vendor/cusparse_spmv.hpp>

#include <cusparse.h>
#endif

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace einkorn::perf {

#ifdef EINKORN_WITH_CUSPARSE

namespace {

using vendor::check_cusparse;
using Buffer = Kokkos::View<char*, Device>;
constexpr auto none = CUSPARSE_OPERATION_NON_TRANSPOSE;

struct Destroy {
  void operator()(cusparseSpMatDescr_t matrix) const { cusparseDestroySpMat(matrix); }
  void operator()(cusparseSpGEMMDescr_t product) const { cusparseSpGEMM_destroyDescr(product); }
};
using Sparse = std::unique_ptr<std::remove_pointer_t<cusparseSpMatDescr_t>, Destroy>;
using Product = std::unique_ptr<std::remove_pointer_t<cusparseSpGEMMDescr_t>, Destroy>;

Sparse csr_of(std::int64_t rows, std::int64_t cols, std::int64_t nnz, int const* offsets, int const* columns,
              double const* values) {
  cusparseSpMatDescr_t raw = nullptr;
  check_cusparse(cusparseCreateCsr(&raw, rows, cols, nnz, const_cast<int*>(offsets), const_cast<int*>(columns),
                                   const_cast<double*>(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
                 "cusparseCreateCsr");
  return Sparse(raw);
}

/// C and the state that the phases share.
struct State {
  Kokkos::View<int*, Device> offsets, columns;
  Kokkos::View<double*, Device> values;
  Sparse C;
  Product product;
  std::vector<Buffer> buffers;
};

class CusparseSpgemm {
 public:
  CusparseSpgemm(SpgemmBench const& bench, cusparseSpGEMMAlg_t algorithm)
      : exec_(bench.exec), handle_(bench.exec), algorithm_(algorithm), A_(bench.A), B_(bench.B) {
    a_ = csr_of(A_.num_rows, A_.num_cols, A_.nnz(), A_.row_offsets.data(), A_.columns.data(), A_.values.data());
    b_ = csr_of(B_.num_rows, B_.num_cols, B_.nnz(), B_.row_offsets.data(), B_.columns.data(), B_.values.data());
  }

  /// Work estimation, compute, copy, each with the buffer size that it requests. ALG2 and ALG3 also estimate
  /// memory, with a fifth of the products at a time.
  void whole() {
    begin();
    double const one = 1.0, zero = 0.0;
    std::size_t bytes = 0;
    auto const estimate = [&](void* buffer) {
      check_cusparse(cusparseSpGEMM_workEstimation(handle_.get(), none, none, &one, a_.get(), b_.get(), &zero,
                                                   state.C.get(), CUDA_R_64F, algorithm_, state.product.get(),
                                                   &bytes, buffer),
                     "cusparseSpGEMM_workEstimation");
    };
    estimate(nullptr);
    estimate(buffer_of(bytes));
    if (algorithm_ == CUSPARSE_SPGEMM_ALG2 || algorithm_ == CUSPARSE_SPGEMM_ALG3) {
      std::size_t for_estimate = 0;
      auto const memory = [&](void* buffer) {
        check_cusparse(cusparseSpGEMM_estimateMemory(handle_.get(), none, none, &one, a_.get(), b_.get(), &zero,
                                                     state.C.get(), CUDA_R_64F, algorithm_, state.product.get(),
                                                     0.2f, &for_estimate, buffer, &bytes),
                       "cusparseSpGEMM_estimateMemory");
      };
      memory(nullptr);
      memory(buffer_of(for_estimate));
    } else {
      compute(one, zero, bytes, nullptr);
    }
    compute(one, zero, bytes, buffer_of(bytes));
    allocate_columns();
    check_cusparse(cusparseSpGEMM_copy(handle_.get(), none, none, &one, a_.get(), b_.get(), &zero,
                                       state.C.get(), CUDA_R_64F, algorithm_, state.product.get()),
                   "cusparseSpGEMM_copy");
  }

  /// The phases of cusparseSpGEMMreuse that compute the pattern.
  void reuse_symbolic() {
    begin();
    std::size_t bytes[5] = {};
    auto const estimate = [&](void* buffer) {
      check_cusparse(
          cusparseSpGEMMreuse_workEstimation(handle_.get(), none, none, a_.get(), b_.get(), state.C.get(),
                                             algorithm_, state.product.get(), &bytes[0], buffer),
          "cusparseSpGEMMreuse_workEstimation");
    };
    estimate(nullptr);
    estimate(buffer_of(bytes[0]));
    auto const count = [&](void* second, void* third, void* fourth) {
      check_cusparse(
          cusparseSpGEMMreuse_nnz(handle_.get(), none, none, a_.get(), b_.get(), state.C.get(), algorithm_,
                                  state.product.get(), &bytes[1], second, &bytes[2], third, &bytes[3], fourth),
          "cusparseSpGEMMreuse_nnz");
    };
    count(nullptr, nullptr, nullptr);
    void* const second = buffer_of(bytes[1]);
    void* const third = buffer_of(bytes[2]);
    count(second, third, buffer_of(bytes[3]));
    allocate_columns();
    auto const copy = [&](void* buffer) {
      check_cusparse(cusparseSpGEMMreuse_copy(handle_.get(), none, none, a_.get(), b_.get(), state.C.get(),
                                              algorithm_, state.product.get(), &bytes[4], buffer),
                     "cusparseSpGEMMreuse_copy");
    };
    copy(nullptr);
    copy(buffer_of(bytes[4]));
  }
  void reuse_numeric() {
    double const one = 1.0, zero = 0.0;
    check_cusparse(cusparseSpGEMMreuse_compute(handle_.get(), none, none, &one, a_.get(), b_.get(), &zero,
                                               state.C.get(), CUDA_R_64F, algorithm_, state.product.get()),
                   "cusparseSpGEMMreuse_compute");
  }

  State state;

 private:
  void begin() {
    state = State();
    state.offsets = allocate<Kokkos::View<int*, Device>>(exec_, "einkorn::perf::offsets",
                                                         static_cast<std::size_t>(A_.num_rows) + 1);
    state.C = csr_of(A_.num_rows, B_.num_cols, 0, state.offsets.data(), nullptr, nullptr);
    cusparseSpGEMMDescr_t raw = nullptr;
    check_cusparse(cusparseSpGEMM_createDescr(&raw), "cusparseSpGEMM_createDescr");
    state.product.reset(raw);
  }
  void* buffer_of(std::size_t bytes) {
    state.buffers.push_back(allocate<Buffer>(exec_, "einkorn::perf::cusparse", bytes));
    return state.buffers.back().data();
  }
  void compute(double one, double zero, std::size_t& bytes, void* buffer) {
    check_cusparse(
        cusparseSpGEMM_compute(handle_.get(), none, none, &one, a_.get(), b_.get(), &zero, state.C.get(),
                               CUDA_R_64F, algorithm_, state.product.get(), &bytes, buffer),
        "cusparseSpGEMM_compute");
  }
  void allocate_columns() {
    std::int64_t rows = 0, cols = 0, nnz = 0;
    check_cusparse(cusparseSpMatGetSize(state.C.get(), &rows, &cols, &nnz), "cusparseSpMatGetSize");
    auto const size = static_cast<std::size_t>(nnz);
    state.columns = allocate<Kokkos::View<int*, Device>>(exec_, "einkorn::perf::columns", size);
    state.values = allocate<Kokkos::View<double*, Device>>(exec_, "einkorn::perf::values", size);
    check_cusparse(
        cusparseCsrSetPointers(state.C.get(), state.offsets.data(), state.columns.data(), state.values.data()),
        "cusparseCsrSetPointers");
  }

  Exec exec_;
  vendor::CusparseHandle handle_;
  cusparseSpGEMMAlg_t algorithm_;
  Csr<double, int, int, Device> A_, B_;
  Sparse a_, b_;
};

void add_one(SpgemmBench& bench, char const* name, cusparseSpGEMMAlg_t algorithm, bool reuse) {
  SpgemmRow row;
  row.library = "cusparse";
  row.algorithm = name;
  bench.add(row, [&](SpgemmRow& built) {
    auto const product = std::make_shared<CusparseSpgemm>(bench, algorithm);
    built.whole = [=] {
      if (!reuse) return product->whole();
      product->reuse_symbolic();
      product->reuse_numeric();
    };
    if (reuse) {
      built.symbolic = [=] { product->reuse_symbolic(); };
      built.numeric = [=] { product->reuse_numeric(); };
    }
    built.result = [=] {
      auto const source = product->state.offsets;
      Kokkos::View<std::int64_t*, Device> const offsets("einkorn::perf::offsets", source.extent(0));
      Kokkos::deep_copy(offsets, source);
      return ProductView{offsets, product->state.columns, product->state.values};
    };
    built.release = [=] { product->state = State(); };
  });
}

}  // namespace

void add_cusparse_spgemm(SpgemmBench& bench) {
  add_one(bench, "default", CUSPARSE_SPGEMM_DEFAULT, false);
  add_one(bench, "alg2", CUSPARSE_SPGEMM_ALG2, false);
  add_one(bench, "alg3", CUSPARSE_SPGEMM_ALG3, false);
  add_one(bench, "reuse", CUSPARSE_SPGEMM_DEFAULT, true);
}

#else

void add_cusparse_spgemm(SpgemmBench&) {}

#endif

}  // namespace einkorn::perf
