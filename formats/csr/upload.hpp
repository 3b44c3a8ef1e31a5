// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/staged_copy.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/upload_lanes.hpp>
#include <einkorn/formats/csr/same_structure.hpp>
#include <einkorn/formats/csr/upload_staging.hpp>
#include <einkorn/formats/csr/validate.hpp>

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

/// A matrix in memory that the host reads.
template <class Matrix>
concept HostCsr = CsrMatrix<Matrix> && AccessibleFrom<Matrix, Kokkos::DefaultHostExecutionSpace>;

/// A Csr of the host on its way to the device of Exec. Made by upload(). Moved, not copied.
///
/// On a GPU threads of its own bring the arrays through chunks of pinned memory (core/staged_copy.hpp), first
/// row_offsets, then columns, then values: the thread that calls upload() gets it back at once, because what
/// takes the time is not the link alone but the copy from the caller's pageable memory to pinned memory, which
/// a single core does more slowly than the link takes it. On a host space there is no other memory: the call
/// copies the arrays in order, by Exec, and the waits find them there.
///
/// The host's arrays stay as they are until wait() has returned or the Upload has ended, which stops what is
/// not yet sent. One thread at a time calls members. Tools that watch Kokkos hear of copies and fences from
/// several threads.
template <class Scalar, class Ordinal, class Offset, class Exec>
class Upload {
 public:
  using matrix_type = Csr<Scalar, Ordinal, Offset, typename Exec::device_type>;

  /// As upload().
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
      lanes_ = staging.lanes_ ? staging.lanes_ : UploadStaging<Exec>(exec, options).lanes_;
      send({detail::on_its_way(row_offsets, host.row_offsets), detail::on_its_way(columns, host.columns),
            detail::on_its_way(values, host.values)},
           host, {});  // Kokkos' allocations are there for every instance
    } else {
      Kokkos::deep_copy(exec, row_offsets, host.row_offsets);
      Kokkos::deep_copy(exec, columns, host.columns);
      Kokkos::deep_copy(exec, values, host.values);
      exec.fence("einkorn::upload: on a host space");
    }
  }

  /// Waits until row_offsets and columns are there, and checks them (checks on). Its values are still being
  /// written: what needs only the structure can begin. Throws InvalidStructure, as validate().
  matrix_type structure() {
    if (copy_) copy_->copy.wait_for(copy_->arrays - 1);
    if (detail::are_on(checks_)) validate(exec_, matrix_);
    checks_ = Checks::off;
    return matrix_;
  }

  /// Waits until everything is there: from then on any instance may use it. Throws as structure().
  matrix_type wait() {
    finish();
    return structure();
  }

  /// Sends the values of another matrix of the same structure to the same place: wait() as before. Waits for
  /// the upload before, if that goes on; the new values go over the old ones after what is on exec now. Throws
  /// StalePlan where the sizes differ; positions are not compared.
  template <HostCsr Host>
  void update_values(Host const& host) {
    Kokkos::Profiling::ScopedRegion region("einkorn::Upload::update_values");
    static_assert(std::is_same_v<typename Host::scalar_type, Scalar>);
    finish();
    detail::require_same_structure(sizes_of(matrix_), sizes_of(host));
    if constexpr (detail::stages_copies<Exec>)
      send({detail::on_its_way(matrix_.values, host.values)}, host, [exec = exec_] { exec.fence(); });
    else
      Kokkos::deep_copy(exec_, matrix_.values, host.values);
  }

  /// Of the whole matrix: what an upload sends.
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
    auto const owned = [host, before = std::move(before)] {  // keeps the host's Views
      if (before) before();
    };
    copy_ = std::make_unique<detail::RunningUpload<Exec>>(lanes_, arrays, owned);
  }
  void finish() {
    if (!copy_) return;
    copy_->copy.wait_for(copy_->arrays);
    copy_.reset();
  }

  Exec exec_;
  Checks checks_;
  matrix_type matrix_;
  std::shared_ptr<detail::UploadLanes<Exec>> lanes_;
  std::unique_ptr<detail::RunningUpload<Exec>> copy_;
};

/// Begins to copy A, of the host's memory, to the device of exec: upload(exec, A).wait() is the Csr there.
///
/// Shapes and options are looked at before anything is allocated, contents when they are there (structure(),
/// wait()). Allocates A's bytes on the device; on a GPU, unless a staging is given, pinned memory of threads x
/// chunk_bytes besides, which the driver is slow to make: keep a staging for small matrices. Cost: A once over
/// the link, and on a GPU once from and once to the host's memory before that. A is never changed. Throws
/// InvalidStructure (shapes), OverflowError, InvalidArgument (options; the staging serves another upload),
/// OutOfMemory. Source of the idea: Huang, Ding & Luo, J. SCUT 43(11), 2015, section 1.5.4; departures: chunks,
/// threads, the order of the arrays.
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
