// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/core/staged_copy.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::detail {

template <class Exec>
struct UploadBuffers {
  std::vector<PinnedBuffer<Exec>> buffers;
  std::atomic<bool> busy = false;
};

/// A StagedCopy with exclusive use of the buffers.
template <class Exec>
struct RunningUpload {
  struct Claim {
    explicit Claim(std::shared_ptr<UploadBuffers<Exec>> shared) : buffers(std::move(shared)) {
      require<InvalidArgument>(!buffers->busy.exchange(true),
                               "upload: the staging serves an upload that is not done");
    }
    Claim(Claim const&) = delete;
    Claim& operator=(Claim const&) = delete;
    ~Claim() { buffers->busy = false; }
    std::shared_ptr<UploadBuffers<Exec>> buffers;
  };

  RunningUpload(std::shared_ptr<UploadBuffers<Exec>> const& buffers, std::vector<HostToDevice> const& given,
                std::function<void()> const& before)
      : claim(buffers), arrays(given.size()), copy(claim.buffers->buffers, given, before) {}

  Claim claim;
  std::size_t arrays;
  StagedCopy<PinnedBuffer<Exec>> copy;  // destroyed before the claim
};

template <class To, class From>
HostToDevice host_to_device(To const& to, From const& from) {
  static_assert(std::is_same_v<typename To::value_type, typename From::non_const_value_type>);
  return {reinterpret_cast<std::byte*>(to.data()), reinterpret_cast<std::byte const*>(from.data()),
          to.extent(0) * sizeof(typename To::value_type)};
}

}  // namespace einkorn::detail
