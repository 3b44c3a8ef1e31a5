// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Allocations that fail on one rank: all ranks throw the same error, which names the rank, and the next collective call
// works.

#include "../support/ranks.hpp"
#include "split_matrix.hpp"

#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/gather_csr.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

namespace einkorn::test {

/// Allocations of this thread with at least so many bytes until one fails. -1: none fails.
inline thread_local int allocations_before_failure = -1;
/// More than what exceptions, tests and containers of messages allocate.
inline constexpr std::size_t min_failing_bytes = 1000;

}  // namespace einkorn::test

// nvcc compiles a replaced operator new for the device too, where it must not throw.
#ifndef __CUDA_ARCH__
// Not inlined: g++ would report malloc() and delete as mismatched.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  int& remaining = einkorn::test::allocations_before_failure;
  bool const fails = bytes >= einkorn::test::min_failing_bytes && remaining >= 0 && remaining-- == 0;
  void* const memory = fails ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// That of the standard library calls the above; that of the address sanitizer does not, and delete would not match it.
[[gnu::noinline]] void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept {
  try {
    return operator new(bytes);
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#endif

namespace einkorn::test {
namespace {

/// The message of the error that call() throws on this rank, or "".
template <class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (OutOfMemory const& error) {
    return error.what();
  } catch (std::bad_alloc const&) {
    return "no memory";  // one rank
  }
  return "";
}

/// Calls call() with the first, second, ... allocation of one rank failing, until none fails. In all calls but the last
/// one all ranks throw the same error in the name of that rank.
template <class Call>
void expect_agreement(Communicator const& comm, int min_failures, Call const& call) {
  int const failing = comm.size() - 1;
  for (int failures = 0; failures < 100; ++failures) {
    if (comm.rank() == failing) allocations_before_failure = failures;
    auto const message = message_of(call);
    allocations_before_failure = -1;

    std::array<char, 500> mine{};
    std::strncpy(mine.data(), message.c_str(), mine.size() - 1);
    for (auto const& other : comm.all_gather(mine))
      ASSERT_EQ(std::string(other.data()), std::string(mine.data()));
    if (message.empty()) {
      EXPECT_GE(failures, min_failures);
      return;
    }
    EXPECT_EQ(message.find(prefix(comm, failing)), 0u) << message;
    EXPECT_NE(message.find("no memory"), std::string::npos) << message;
  }
  ADD_FAILURE() << "every call failed";
}

TEST(FailedAllocation, InAnExchange) {
  for_each_communicator([](Communicator const& comm) {
    std::vector<std::vector<double>> messages(static_cast<std::size_t>(comm.size()));
    for (auto& message : messages) message.assign(200, 1.0);
    expect_agreement(comm, comm.size(), [&] {
      auto const received = comm.exchange(messages);
      for (auto const& message : received) EXPECT_EQ(message, messages[0]);
    });
  });
}

/// A matrix whose arrays on each rank exceed min_failing_bytes.
HostMatrix<double> matrix_of(Communicator const& comm) {
  auto const rows = 600 * comm.size();
  return with_numbers<double>(random_pattern(rows, rows, 3), Numbers::reals);
}

TEST(FailedAllocation, InDistributeCsr) {
  for_each_communicator([](Communicator const& comm) {
    auto const global = matrix_of(comm);
    auto const blocks = RowBlocks::uniform(global.num_rows, comm.size());
    auto const on_rank_0 = on_root(comm, 0, global);
    expect_agreement(comm, 5, [&] { (void)distribute_csr(instance_of_rank(), comm, blocks, on_rank_0); });
  });
}

TEST(FailedAllocation, InDistributeRowsAndGatherCsr) {
  for_each_communicator([](Communicator const& comm) {
    auto const global = matrix_of(comm);
    auto const blocks = RowBlocks::uniform(global.num_rows, comm.size());
    auto const own = own_rows(global, blocks, comm.rank());
    auto const offsets = to_device(own.offsets), columns = to_device(own.columns);
    auto const values = to_device(own.values);
    auto const distribute = [&] {
      return distribute_rows(instance_of_rank(), comm, blocks, offsets, columns, values);
    };
    expect_agreement(comm, 2, [&] { (void)distribute(); });
    auto const A = distribute();
    expect_agreement(comm, 5, [&] { (void)gather_csr(A); });
  });
}

}  // namespace
}  // namespace einkorn::test
