// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/staged_copy.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/interop/detail/upload_buffers.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace einkorn {

/// Options of upload(). A host space uses only `checks`.
struct UploadOptions {
  /// Bytes of pinned memory per thread. Analytical, not measured: a link of 50 GB/s transfers 2 MiB in 40 us,
  /// several times the launch cost, and 2 MiB stay in a core's share of the last-level cache.
  std::size_t chunk_bytes = std::size_t(2) << 20;
  /// Threads that copy to pinned memory; 0: half of the hardware threads, 2 to 8. Analytical, not measured: a
  /// core copies about 10 GB/s. With 1 thread, copies and transfers do not overlap.
  int threads = 0;
  Checks checks = Checks::on;  ///< validate() the structure on the device
};

namespace detail {

inline void check_upload_options(UploadOptions const& options) {
  require<InvalidArgument>(options.chunk_bytes > 0, "upload: chunk_bytes is 0");
  require_enumerator(options.checks, Checks::off, "upload: checks");
  require<InvalidArgument>(options.threads >= 0 && options.threads <= 64, [&] {
    return "upload: threads is " + std::to_string(options.threads) + ", expected 0 .. 64";
  });
}

inline int upload_threads(int requested) {
  return requested > 0 ? requested
                       : std::clamp(static_cast<int>(std::thread::hardware_concurrency() / 2), 2, 8);
}

}  // namespace detail

template <class Scalar, class Ordinal, class Offset, class Exec>
class Upload;

/// Pinned memory and execution space instances that uploads reuse; serves one upload at a time. Empty on a host
/// space and when default-constructed.
template <class Exec>
class UploadStaging {
 public:
  UploadStaging() = default;
  /// Throws InvalidArgument, OutOfMemory.
  explicit UploadStaging([[maybe_unused]] Exec const& exec, UploadOptions const& options = {}) {
    detail::check_upload_options(options);
    if constexpr (detail::stages_copies<Exec>) {
      buffers_ = std::make_shared<detail::UploadBuffers<Exec>>();
      auto const threads = static_cast<std::size_t>(detail::upload_threads(options.threads));
      for (auto const& instance : detail::instances_of(exec, threads))
        buffers_->buffers.emplace_back(instance, options.chunk_bytes);
    }
  }

  /// Bytes of pinned memory.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    if (buffers_)
      for (auto const& buffer : buffers_->buffers) sum += buffer.bytes();
    return sum;
  }

 private:
  template <class Scalar, class Ordinal, class Offset, class Space>
  friend class Upload;

  std::shared_ptr<detail::UploadBuffers<Exec>> buffers_;
};

}  // namespace einkorn
