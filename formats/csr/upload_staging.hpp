// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/staged_copy.hpp>
#include <einkorn/formats/csr/detail/upload_lanes.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace einkorn {

/// On a host space only `checks` has a meaning.
struct UploadOptions {
  /// Of pinned memory a thread. Analytical, not measured: 2 MiB take a link of 50 GB/s 40 us, several times
  /// what sending them costs the host, and stay in a core's share of the last-level cache between the copy and
  /// the link.
  std::size_t chunk_bytes = std::size_t(2) << 20;
  /// That copy to pinned memory; 0: half of the machine's hardware threads, 2 to 8. Analytical, not measured:
  /// a core copies about 10 GB/s. With 1, nothing is copied while its chunk is on the link.
  int threads = 0;
  Checks checks = Checks::on;  ///< of the structure, on the device
};

namespace detail {

inline void check_upload_options(UploadOptions const& options) {
  require<InvalidArgument>(options.chunk_bytes > 0, "upload: chunk_bytes is 0");
  require_enumerator(options.checks, Checks::off, "upload: checks");
  require<InvalidArgument>(options.threads >= 0 && options.threads <= 64, [&] {
    return "upload: threads is " + std::to_string(options.threads) + ", expected 0 .. 64";
  });
}

inline int upload_threads(int asked) {
  return asked > 0 ? asked : std::clamp(static_cast<int>(std::thread::hardware_concurrency() / 2), 2, 8);
}

}  // namespace detail

template <class Scalar, class Ordinal, class Offset, class Exec>
class Upload;

/// The pinned memory and the instances of uploads, kept between them; serves one at a time. On a host space,
/// and made without arguments, it holds nothing.
template <class Exec>
class UploadStaging {
 public:
  UploadStaging() = default;
  /// Throws InvalidArgument, OutOfMemory.
  explicit UploadStaging([[maybe_unused]] Exec const& exec, UploadOptions const& options = {}) {
    detail::check_upload_options(options);
    if constexpr (detail::stages_copies<Exec>) {
      lanes_ = std::make_shared<detail::UploadLanes<Exec>>();
      auto const threads = static_cast<std::size_t>(detail::upload_threads(options.threads));
      for (auto const& instance : detail::instances_of(exec, threads))
        lanes_->lanes.emplace_back(instance, options.chunk_bytes);
    }
  }

  /// Of pinned memory.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    if (lanes_)
      for (auto const& lane : lanes_->lanes) sum += lane.bytes();
    return sum;
  }

 private:
  template <class Scalar, class Ordinal, class Offset, class Space>
  friend class Upload;

  std::shared_ptr<detail::UploadLanes<Exec>> lanes_;
};

}  // namespace einkorn
