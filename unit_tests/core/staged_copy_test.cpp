// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// StagedCopy with buffers that copy as late as allowed, and with pinned memory.

#include "../support/throws.hpp"
#include "../support/types.hpp"

#include <einkorn/core/staged_copy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace einkorn::test {
namespace {

using detail::HostToDevice;
using detail::StagedCopy;

/// The shared state of the buffers of a test.
struct Link {
  static constexpr auto never = static_cast<std::size_t>(-1);
  std::atomic<std::size_t> sent = 0, waited = 0;
  std::size_t fails_at = never;            // of what is sent; no chunk sent later arrives before open
  std::byte const* closed_from = nullptr;  // no chunk at or behind it arrives before open
  std::shared_future<void> open;
};

/// A buffer that copies its chunk in wait().
class LateBuffer {
 public:
  LateBuffer(Link& link, std::size_t bytes)
      : link_(&link), chunk_(std::make_shared<std::vector<std::byte>>(bytes)) {}

  [[nodiscard]] std::byte* chunk() const { return chunk_->data(); }
  [[nodiscard]] std::size_t bytes() const { return chunk_->size(); }
  void send(std::byte* to, std::size_t bytes) const {
    if (bytes > chunk_->size() || pending_->to != nullptr) throw std::logic_error("not waited for");
    auto const before = link_->sent++;
    if (before == link_->fails_at) throw std::runtime_error("the link is down");
    *pending_ = {to, nullptr, bytes};
    *late_ = (link_->closed_from != nullptr && to >= link_->closed_from) || before > link_->fails_at;
  }
  void wait() const {
    if (*late_) link_->open.wait();
    std::memcpy(pending_->to, chunk_->data(), pending_->bytes);
    pending_->to = nullptr;
    ++link_->waited;
  }

 private:
  Link* link_;
  std::shared_ptr<std::vector<std::byte>> chunk_;
  std::shared_ptr<HostToDevice> pending_ = std::make_shared<HostToDevice>();
  std::shared_ptr<bool> late_ = std::make_shared<bool>(false);
};

std::vector<LateBuffer> buffers_of(Link& link, std::size_t count, std::size_t bytes) {
  std::vector<LateBuffer> buffers;
  for (std::size_t i = 0; i < count; ++i) buffers.emplace_back(link, bytes);
  return buffers;
}

/// Source and target arrays, contiguous, so that addresses are ordered.
struct Arrays {
  explicit Arrays(std::vector<std::size_t> const& sizes) {
    std::size_t total = 0;
    for (auto const size : sizes) total += size;
    from.resize(total);
    to.resize(total);
    for (std::size_t i = 0; i < total; ++i) from[i] = static_cast<std::byte>(1 + i * 7 % 251);
    std::size_t at = 0;
    for (auto const size : sizes) {
      arrays.push_back({to.data() + at, from.data() + at, size});
      at += size;
    }
  }
  std::vector<std::byte> from, to;
  std::vector<HostToDevice> arrays;
};

TEST(StagedCopy, CopiesArraysOfAnySizeInChunksOfAnySize) {
  for (std::size_t const threads : {1u, 2u, 5u})
    for (std::size_t const chunk : {1u, 7u, 64u, 1000u}) {
      Link link;
      auto const buffers = buffers_of(link, threads, chunk);
      Arrays all({0, 1, chunk - 1, chunk, chunk + 1, 0, 10 * chunk + 3});
      {
        StagedCopy<LateBuffer> copy(buffers, all.arrays);
        copy.wait_for(all.arrays.size());
        EXPECT_EQ(all.to, all.from) << threads << " threads, chunks of " << chunk;
      }
      EXPECT_EQ(link.sent, link.waited);
      EXPECT_EQ(link.sent, (chunk > 1 ? 1u : 0u) + 1u + 1u + 2u + 10u + (3 + chunk - 1) / chunk);
    }
}

TEST(StagedCopy, EmptyArrays) {
  Link link;
  auto const buffers = buffers_of(link, 3, 8);
  Arrays none({0, 0, 0});
  StagedCopy<LateBuffer> copy(buffers, none.arrays);
  copy.wait_for(3);
  StagedCopy<LateBuffer> no_arrays(buffers, {});
  no_arrays.wait_for(0);
  EXPECT_EQ(link.sent, 0u);
}

TEST(StagedCopy, WaitForReturnsBeforeLaterArraysArrive) {
  std::promise<void> open;
  Arrays all({100, 50, 400});
  Link link;
  link.closed_from = all.arrays[2].to;
  link.open = open.get_future().share();
  auto const buffers = buffers_of(link, 3, 16);
  StagedCopy<LateBuffer> copy(buffers, all.arrays);

  copy.wait_for(2);

  EXPECT_TRUE(std::equal(all.from.begin(), all.from.begin() + 150, all.to.begin()));
  EXPECT_TRUE(std::all_of(all.to.begin() + 150, all.to.end(), [](std::byte b) { return b == std::byte(0); }));
  auto rest = std::async(std::launch::async, [&] { copy.wait_for(3); });
  EXPECT_EQ(rest.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  open.set_value();
  rest.get();
  EXPECT_EQ(all.to, all.from);
}

TEST(StagedCopy, RethrowsAndStopsAfterAnException) {
  std::promise<void> open;
  Link link;
  link.fails_at = 5;
  link.open = open.get_future().share();
  auto const buffers = buffers_of(link, 2, 16);
  Arrays all({16, 4000});
  {
    StagedCopy<LateBuffer> copy(buffers, all.arrays);
    for (int again = 0; again < 2; ++again)
      EXPECT_TRUE(throws<std::runtime_error>([&] { copy.wait_for(2); }, {"the link is down"}));
    open.set_value();
  }
  EXPECT_LE(link.sent, 7u);  // five, the one that failed, and one of the other buffer
  EXPECT_EQ(link.waited, link.sent - 1);
}

TEST(StagedCopy, StopsAfterClaimedChunks) {
  std::promise<void> open;
  Arrays all({1600});
  Link link;
  link.closed_from = all.arrays[0].to + 160;
  link.open = open.get_future().share();
  auto const buffers = buffers_of(link, 2, 16);
  {
    StagedCopy<LateBuffer> copy(buffers, all.arrays);
    while (link.sent < 12) std::this_thread::yield();  // ten, and one per buffer
    copy.stop();
    open.set_value();
  }
  EXPECT_EQ(link.sent, 12u);
  EXPECT_EQ(link.waited, 12u);
}

TEST(StagedCopy, EachThreadCallsBeforeCallbackFirst) {
  Link link;
  auto const buffers = buffers_of(link, 3, 16);
  Arrays all({1600});
  std::atomic<int> calls = 0;
  {
    StagedCopy<LateBuffer> copy(buffers, all.arrays, [&] {
      EXPECT_EQ(link.sent, 0u);
      auto const deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      for (++calls; calls < 3 && std::chrono::steady_clock::now() < deadline;) std::this_thread::yield();
    });
    copy.wait_for(1);
  }
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(all.to, all.from);
}

TEST(StagedCopy, CopiesThroughPinnedMemory) {
  Arrays all({100, 9001, 4096});
  std::vector<detail::PinnedBuffer<Space>> buffers;
  for (int i = 0; i < 2; ++i) buffers.emplace_back(Space(), 4096);
  Kokkos::View<char*, Device> const target("target", all.to.size());
  for (std::size_t a = 0, at = 0; a < all.arrays.size(); at += all.arrays[a++].bytes)
    all.arrays[a].to = reinterpret_cast<std::byte*>(target.data()) + at;

  StagedCopy<detail::PinnedBuffer<Space>> copy(buffers, all.arrays);
  copy.wait_for(3);

  auto const there = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), target);
  EXPECT_EQ(std::memcmp(there.data(), all.from.data(), all.from.size()), 0);
}

}  // namespace
}  // namespace einkorn::test
