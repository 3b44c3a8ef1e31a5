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
struct UploadLanes {
  std::vector<PinnedBuffer<Exec>> lanes;
  std::atomic<bool> busy = false;
};

/// A StagedCopy that has the lanes for itself.
template <class Exec>
struct RunningUpload {
  struct Claim {
    explicit Claim(std::shared_ptr<UploadLanes<Exec>> of) : lanes(std::move(of)) {
      require<InvalidArgument>(!lanes->busy.exchange(true),
                               "upload: the staging serves an upload that is not done");
    }
    Claim(Claim const&) = delete;
    Claim& operator=(Claim const&) = delete;
    ~Claim() { lanes->busy = false; }
    std::shared_ptr<UploadLanes<Exec>> lanes;
  };

  RunningUpload(std::shared_ptr<UploadLanes<Exec>> const& lanes, std::vector<HostToDevice> const& given,
                std::function<void()> const& before)
      : claim(lanes), arrays(given.size()), copy(claim.lanes->lanes, given, before) {}

  Claim claim;
  std::size_t arrays;
  StagedCopy<PinnedBuffer<Exec>> copy;  // ends before the claim does
};

template <class To, class From>
HostToDevice on_its_way(To const& to, From const& from) {
  static_assert(std::is_same_v<typename To::value_type, typename From::non_const_value_type>);
  return {reinterpret_cast<std::byte*>(to.data()), reinterpret_cast<std::byte const*>(from.data()),
          to.extent(0) * sizeof(typename To::value_type)};
}

}  // namespace einkorn::detail
