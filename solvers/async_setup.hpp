// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/staged_copy.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/diagonal.hpp>
#include <einkorn/formats/from_csr.hpp>
#include <einkorn/formats/interop/upload.hpp>
#include <einkorn/solvers/engine/background_task.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

namespace detail {

/// Calls the update_values() of the format, which AsyncSetup::update_values would hide.
template <class Exec, class F, class Matrix>
void update_format_values(Exec const& exec, F const& format, Matrix const& A) {
  update_values(exec, format, A, Checks::off);
}

}  // namespace detail

template <template <class, class, class, class> class Format>
struct AsyncSetupOptions {
  typename FromCsr<Format>::Options format = {};  ///< its checks apply to the structure
  UploadOptions upload = {};                      ///< its checks are ignored
  /// Convert the structure, with zeros as values, while the values are copied, and insert the values afterwards
  /// (update_values). Needs nnz scalars of device memory until then; if they cannot be allocated, the
  /// conversion waits for the values. Default: on a GPU.
  std::optional<bool> convert_early = {};
};

/// Asynchronous setup of a matrix, its format and its diagonal; made by async_setup(). Movable, not copyable.
///
/// On a GPU a background thread works on two execution-space instances, besides the threads and instances of
/// the upload (Upload); on a host space async_setup() does everything in order. The host arrays must not change
/// until wait() has returned or the AsyncSetup is destroyed, which waits.
template <template <class, class, class, class> class Format, class Scalar, class Ordinal, class Offset,
          class Exec>
class AsyncSetup {
 public:
  using device_type = typename Exec::device_type;
  using csr_type = Csr<Scalar, Ordinal, Offset, device_type>;
  using format_type = Format<Scalar, Ordinal, Offset, device_type>;
  using options_type = AsyncSetupOptions<Format>;

  struct Ready {
    csr_type csr;
    format_type matrix;
    Kokkos::View<Scalar*, device_type> diagonal;  // [num_rows]
  };

  /// As async_setup().
  template <HostCsr Host>
  AsyncSetup(Exec const& exec, Host const& host, options_type const& options,
             UploadStaging<Exec> const& staging)
      : work_(std::make_unique<Work>(exec, host, options, staging)) {
    work_->begin([work = work_.get()] { work->set_up_all(); });
  }

  /// Blocks until the setup is complete. Any instance may then use the result.
  /// @throws InvalidStructure, and what from_csr() of the format throws
  Ready wait() {
    work_->background.wait();
    return work_->ready;
  }

  /// New values on the same structure; then wait() again. Overwrites the values of the earlier result, which
  /// must not be in use until then. Waits for the previous work. No allocation.
  /// @throws StalePlan if the sizes differ; positions are not compared
  template <HostCsr Host>
  void update_values(Host const& host) {
    wait();
    work_->upload.update_values(host);
    work_->begin([work = work_.get()] { work->set_up_values(); });
  }

 private:
  struct Work {
    template <class Host>
    Work(Exec const& exec, Host const& host, options_type const& given_options,
         UploadStaging<Exec> const& staging)
        : options(given_options),
          spaces(detail::instances_of(exec, 2)),
          upload(exec, host, without_checks(given_options.upload), staging) {
      ready.diagonal = allocate<Kokkos::View<Scalar*, device_type>>(exec, "einkorn::AsyncSetup::diagonal",
                                                                    static_cast<std::size_t>(host.num_rows));
    }

    template <class Step>
    void begin(Step const& step) {
      background.begin(detail::stages_copies<Exec>, [this, step] {
        Kokkos::Profiling::ScopedRegion region("einkorn::async_setup");
        try {
          step();
        } catch (...) {
          auto const finished = std::move(upload);  // its destructor ends all reads of the host arrays
          throw;
        }
        for (auto const& space : spaces) space.fence("einkorn::async_setup: complete");
      });
    }

    void set_up_all() {
      ready.csr = upload.structure();
      std::optional<format_type> early;
      if (options.convert_early.value_or(detail::stages_copies<Exec>)) early = converted_structure();
      upload.wait();
      if (early) {
        ready.matrix = *early;
        set_up_values();
      } else {
        extract_diagonal(spaces[1], ready.csr, ready.diagonal);
        ready.matrix = from_csr<Format>(spaces[0], ready.csr, options.format);
      }
    }
    void set_up_values() {
      upload.wait();
      extract_diagonal(spaces[1], ready.csr, ready.diagonal);
      detail::update_format_values(spaces[0], ready.matrix, ready.csr);
    }
    std::optional<format_type> converted_structure() const {
      try {
        csr_type structure = ready.csr;
        structure.values = allocate<Kokkos::View<Scalar*, device_type>>(spaces[0], "einkorn::AsyncSetup::zeros",
                                                                        ready.csr.values.extent(0));
        Kokkos::deep_copy(spaces[0], structure.values, Scalar(0));
        format_type const F = from_csr<Format>(spaces[0], structure, options.format);
        spaces[0].fence("einkorn::async_setup: before the zeros are freed");
        return F;
      } catch (OutOfMemory const&) {
        return {};
      }
    }
    static UploadOptions without_checks(UploadOptions upload_options) {
      upload_options.checks = Checks::off;
      return upload_options;
    }

    options_type options;
    std::vector<Exec> spaces;  // [0] converts, [1] extracts the diagonal
    Upload<Scalar, Ordinal, Offset, Exec> upload;
    Ready ready;
    detail::BackgroundTask background;  // destroyed first: ends before its data
  };

  std::unique_ptr<Work> work_;
};

/// Starts copying a CSR from host memory to the device of exec, converting it to Format and extracting its
/// diagonal, and returns: async_setup<Dia>(exec, A) ... .wait() gives the CSR, the Dia and the diagonal. The
/// results are bitwise those of deep_copy, from_csr and extract_diagonal in order.
///
/// @param A  n x n, in host memory; unchanged until wait() has returned
/// @throws DimensionMismatch (not square), and what upload() throws; errors found later are thrown by wait()
///
/// Order on a GPU: row offsets and columns are copied; the structure is converted while the values are copied
/// (AsyncSetupOptions::convert_early); then the values are inserted and, on another instance, the diagonal is
/// extracted. Kokkos has no events between instances: work that depends on an upload is launched by a thread
/// that has waited for it. Kokkos fences the device when it frees memory, so the conversion, which frees
/// temporaries, runs between chunks as well as concurrently.
///
/// Cost: upload(), from_csr(), extract_diagonal(); with convert_early nnz zeros and a second write of the
/// values. The caller blocks for allocations only; for pinned memory see upload().
template <template <class, class, class, class> class Format, ExecutionSpace Exec, class Scalar, class Ordinal,
          class Offset, class Device>
requires HostCsr<Csr<Scalar, Ordinal, Offset, Device>>
AsyncSetup<Format, std::remove_const_t<Scalar>, Ordinal, Offset, Exec> async_setup(
    Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
    AsyncSetupOptions<Format> const& options = {}, UploadStaging<Exec> const& staging = {}) {
  require_kokkos("async_setup");
  detail::require_square("async_setup", A.num_rows, A.num_cols);
  return {exec, A, options, staging};
}

template <template <class, class, class, class> class Format, ExecutionSpace Exec, CrsMatrixLike Matrix>
auto async_setup(Exec const& exec, Matrix const& A, AsyncSetupOptions<Format> const& options = {},
                 UploadStaging<Exec> const& staging = {}) {
  return async_setup<Format>(exec, as_csr(A), options, staging);
}

}  // namespace einkorn
