// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/staged_copy.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/interop/detail/upload_buffers.hpp>
#include <einkorn/formats/interop/upload_staging.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

/// A Csr in host-accessible memory.
template <class Matrix>
concept HostCsr = CsrMatrix<Matrix> && AccessibleFrom<Matrix, Kokkos::DefaultHostExecutionSpace>;

/// An asynchronous copy of a Csr from the host to the device of Exec, made by upload(). Movable, not copyable.
///
/// On a GPU separate threads copy the arrays through chunks of pinned memory (core/staged_copy.hpp):
/// row_offsets, then columns, then values. upload() returns at once; the copy from pageable to pinned memory
/// takes a single core longer than the link. On a host space the constructor copies the arrays with Exec.
///
/// The host arrays must not change until wait() has returned or the Upload is destroyed, which cancels the
/// rest. Not thread-safe. Kokkos Tools see copies and fences from several threads.
template <class Scalar, class Ordinal, class Offset, class Exec>
class Upload {
 public:
  using matrix_type = Csr<Scalar, Ordinal, Offset, typename Exec::device_type>;

  /// See upload().
  template <HostCsr Host>
  Upload(Exec const& exec, Host const& host, UploadOptions const& options, UploadStaging<Exec> const& staging)
      : exec_(exec), checks_(options.checks) {
    require_kokkos("upload");
    Kokkos::Profiling::ScopedRegion region("einkorn::upload");
    (void)detail::require_extents(host);
    detail::check_upload_options(options);
    auto const row_offsets =
        allocate<Array<Offset>>(exec, "einkorn::Upload::row_offsets", host.row_offsets.extent(0));
    auto const columns = allocate<Array<Ordinal>>(exec, "einkorn::Upload::columns", host.columns.extent(0));
    auto const values = allocate<Array<Scalar>>(exec, "einkorn::Upload::values", host.values.extent(0));
    matrix_ = {host.num_rows, host.num_cols, row_offsets, columns, values};
    if constexpr (detail::stages_copies<Exec>) {
      buffers_ = staging.buffers_ ? staging.buffers_ : UploadStaging<Exec>(exec, options).buffers_;
      send({detail::host_to_device(row_offsets, host.row_offsets),
            detail::host_to_device(columns, host.columns), detail::host_to_device(values, host.values)},
           host, {});  // Kokkos allocations are visible to every instance
    } else {
      Kokkos::deep_copy(exec, row_offsets, host.row_offsets);
      Kokkos::deep_copy(exec, columns, host.columns);
      Kokkos::deep_copy(exec, values, host.values);
      exec.fence("einkorn::upload: on a host space");
    }
  }

  /// Waits for row_offsets and columns and validates them (Checks::on). The values may still be in transfer.
  /// Throws InvalidStructure, as validate().
  matrix_type structure() {
    if (copy_) copy_->copy.wait_for(copy_->arrays - 1);
    if (detail::are_on(checks_)) validate(exec_, matrix_);
    checks_ = Checks::off;
    return matrix_;
  }

  /// Waits for all arrays; afterwards any instance may use the matrix. Throws as structure().
  matrix_type wait() {
    finish();
    return structure();
  }

  /// Replaces the values by those of a matrix of the same structure; wait() afterwards. Waits for a running
  /// upload; the values are overwritten after the work submitted to exec so far. Throws StalePlan if the sizes
  /// differ; positions are not compared.
  template <HostCsr Host>
  void update_values(Host const& host) {
    Kokkos::Profiling::ScopedRegion region("einkorn::Upload::update_values");
    static_assert(std::is_same_v<typename Host::scalar_type, Scalar>);
    finish();
    detail::require_same_structure(sizes_of(matrix_), sizes_of(host));
    if constexpr (detail::stages_copies<Exec>)
      send({detail::host_to_device(matrix_.values, host.values)}, host, [exec = exec_] { exec.fence(); });
    else
      Kokkos::deep_copy(exec_, matrix_.values, host.values);
  }

  /// Bytes of the matrix.
  [[nodiscard]] std::size_t bytes() const {
    return matrix_.row_offsets.extent(0) * sizeof(Offset) + matrix_.columns.extent(0) * sizeof(Ordinal) +
           matrix_.values.extent(0) * sizeof(Scalar);
  }

 private:
  template <class T>
  using Array = Kokkos::View<T*, typename Exec::device_type>;

  template <class Matrix>
  static Fingerprint sizes_of(Matrix const& A) {
    return {static_cast<std::uint64_t>(A.num_rows), static_cast<std::uint64_t>(A.num_cols),
            static_cast<std::uint64_t>(A.values.extent(0)), 0, 0};
  }
  template <class Host>
  void send(std::vector<detail::HostToDevice> const& arrays, Host const& host, std::function<void()> before) {
    auto const owned = [host, before = std::move(before)] {  // shares ownership of the host Views
      if (before) before();
    };
    copy_ = std::make_unique<detail::RunningUpload<Exec>>(buffers_, arrays, owned);
  }
  void finish() {
    if (!copy_) return;
    copy_->copy.wait_for(copy_->arrays);
    copy_.reset();
  }

  Exec exec_;
  Checks checks_;
  matrix_type matrix_;
  std::shared_ptr<detail::UploadBuffers<Exec>> buffers_;
  std::unique_ptr<detail::RunningUpload<Exec>> copy_;
};

/// Starts to copy A from host memory to the device of exec: upload(exec, A).wait() is the Csr on the device.
///
/// @throws InvalidStructure for extents; contents are checked by structure() and wait()
/// @throws InvalidArgument for options, or if the staging serves another upload
/// @throws OverflowError, OutOfMemory
///
/// Allocates the bytes of A on the device and, on a GPU without a given staging, threads x chunk_bytes of
/// pinned memory, which is slow: reuse a staging for small matrices. Cost: A once over the link; on a GPU also
/// one read and one write of A in host memory. Source: Huang, Ding & Luo, J. SCUT 43(11), 2015, section 1.5.4;
/// departures: chunks, threads, the order of the arrays.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
requires HostCsr<Csr<Scalar, Ordinal, Offset, Device>>
Upload<std::remove_const_t<Scalar>, Ordinal, Offset, Exec> upload(Exec const& exec,
                                                                  Csr<Scalar, Ordinal, Offset, Device> const& A,
                                                                  UploadOptions const& options = {},
                                                                  UploadStaging<Exec> const& staging = {}) {
  return {exec, A, options, staging};
}

template <ExecutionSpace Exec, CrsMatrixLike Matrix>
auto upload(Exec const& exec, Matrix const& A, UploadOptions const& options = {},
            UploadStaging<Exec> const& staging = {}) {
  return upload(exec, as_csr(A), options, staging);
}

}  // namespace einkorn
