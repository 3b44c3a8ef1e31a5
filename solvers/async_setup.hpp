// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/staged_copy.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/diagonal.hpp>
#include <einkorn/formats/csr/upload.hpp>
#include <einkorn/formats/from_csr.hpp>
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

/// Out of reach of AsyncSetup::update_values, which would hide those of the formats.
template <class Exec, class F, class Matrix>
void put_values(Exec const& exec, F const& format, Matrix const& A) {
  update_values(exec, format, A, Checks::off);
}

}  // namespace detail

template <template <class, class, class, class> class Format>
struct AsyncSetupOptions {
  typename FromCsr<Format>::Options format = {};  ///< its checks are those of the structure
  UploadOptions upload = {};                      ///< whose checks are not used
  /// Convert the structure while the values are on their way, with zeros in their place, and put the values in
  /// when they are there (update_values): the conversion is hidden behind the link. Takes nnz scalars of device
  /// memory until then; where there is no memory for that, the conversion comes after the values. Left out: on
  /// a GPU.
  std::optional<bool> convert_early = {};
};

/// A matrix, its format and its diagonal in the making. Made by async_setup(). Moved, not copied.
///
/// On a GPU the work goes on in a thread of its own, on two instances, beside the threads and instances of the
/// upload (Upload); on a host space async_setup() does it all, in order. The host's arrays stay as they are
/// until wait() has returned, or until the end of the AsyncSetup, which waits.
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
    work_->begin([work = work_.get()] { work->all(); });
  }

  /// Waits, on the host, until everything is there; any instance may use it from then on. Throws what became of
  /// the work: InvalidStructure, and what from_csr() of the format throws.
  Ready wait() {
    work_->background.wait();
    return work_->ready;
  }

  /// New values on the same structure, by the same way: wait() as before. What was got from wait() before gets
  /// them, so nothing new is to be put on exec until then. Waits for the work before. No allocation. Throws
  /// StalePlan where the sizes differ; positions are not compared.
  template <HostCsr Host>
  void update_values(Host const& host) {
    wait();
    work_->upload.update_values(host);
    work_->begin([work = work_.get()] { work->values(); });
  }

 private:
  struct Work {
    template <class Host>
    Work(Exec const& exec, Host const& host, options_type const& given, UploadStaging<Exec> const& staging)
        : options(given),
          spaces(detail::instances_of(exec, 2)),
          upload(exec, host, without_checks(given.upload), staging) {
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
          auto const given_up = std::move(upload);  // so that nothing reads the host's arrays any more
          throw;
        }
        for (auto const& space : spaces) space.fence("einkorn::async_setup: all is there");
      });
    }

    void all() {
      ready.csr = upload.structure();
      std::optional<format_type> early;
      if (options.convert_early.value_or(detail::stages_copies<Exec>)) early = converted_structure();
      upload.wait();
      if (early) {
        ready.matrix = *early;
        values();
      } else {
        extract_diagonal(spaces[1], ready.csr, ready.diagonal);
        ready.matrix = from_csr<Format>(spaces[0], ready.csr, options.format);
      }
    }
    void values() {
      upload.wait();
      extract_diagonal(spaces[1], ready.csr, ready.diagonal);
      detail::put_values(spaces[0], ready.matrix, ready.csr);
    }
    std::optional<format_type> converted_structure() const {
      try {
        csr_type structure = ready.csr;
        structure.values = allocate<Kokkos::View<Scalar*, device_type>>(spaces[0], "einkorn::AsyncSetup::zeros",
                                                                        ready.csr.values.extent(0));
        Kokkos::deep_copy(spaces[0], structure.values, Scalar(0));
        format_type const F = from_csr<Format>(spaces[0], structure, options.format);
        spaces[0].fence("einkorn::async_setup: before the zeros go");
        return F;
      } catch (OutOfMemory const&) {
        return {};
      }
    }
    static UploadOptions without_checks(UploadOptions given) {
      given.checks = Checks::off;
      return given;
    }

    options_type options;
    std::vector<Exec> spaces;  // one converts, one extracts the diagonal
    Upload<Scalar, Ordinal, Offset, Exec> upload;
    Ready ready;
    detail::BackgroundTask background;  // ends before what it works on
  };

  std::unique_ptr<Work> work_;
};

/// Begins to bring A, of the host's memory, to the device of exec, to convert it to Format and to extract its
/// diagonal, and comes back: async_setup<Dia>(exec, A) ... .wait() gives the CSR, the Dia and the diagonal. The
/// results are, bit for bit, those of deep_copy, from_csr and extract_diagonal in order.
///
/// A is square. Order on a GPU: row_offsets and columns go over the link; the structure is converted while the
/// values set_true_residual (AsyncSetupOptions::convert_early); then the values are put in and, on an instance of its own,
/// the diagonal is extracted. Kokkos has no events between instances: what depends on an upload is launched by
/// a thread that has waited for it, never by the caller's. Kokkos waits for the device when it frees memory, so
/// the conversion, which frees what it needs for itself, goes on between chunks as well as beside them.
///
/// Cost: upload(), from_csr(), extract_diagonal(), and with convert_early nnz zeros and a second write of the
/// values. The caller is held up for allocations only, but for the pinned memory see upload(). Throws
/// DimensionMismatch (not square), and what upload() throws; what is found later comes from wait().
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
