// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/communicator.hpp>
#include <einkorn/core/error.hpp>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace einkorn::detail {

/// Throws the same InvalidArgument on all ranks unless all name the same rank as root. Collective.
inline void require_same_root(char const* operation, Communicator const& comm, int root) {
  auto const roots = comm.all_gather(root);
  for (std::size_t r = 1; r < roots.size(); ++r)
    require<InvalidArgument>(roots[r] == roots[0], [&] {
      return std::string(operation) + ": root is " + std::to_string(roots[r]) + " on rank " +
             std::to_string(r) + ", " + std::to_string(roots[0]) + " on rank 0; expected the same on all ranks";
    });
  require<InvalidArgument>(0 <= root && root < comm.size(), [&] {
    return std::string(operation) + ": root is " + std::to_string(root) + ", expected 0 .. " +
           std::to_string(comm.size()) + " - 1";
  });
}

/// Entries begin ... begin + count - 1 of an array.
struct Slice {
  std::size_t begin = 0, count = 0;
};

/// Sends slice r of `array` on root to rank r. Returns the slice of this rank. Collective.
/// @param array   on root: contiguous, on the host
/// @param slices  on root: [ranks]
template <class T>
std::vector<T> scatter_slices(char const* purpose, Communicator const& comm, int root, T const* array,
                              std::vector<Slice> const& slices) {
  std::vector<std::vector<std::byte>> received;
  {
    auto const messages = comm.collectively([&] {
      auto list = allocate_vector<std::vector<std::byte>>(purpose, static_cast<std::size_t>(comm.size()));
      for (std::size_t r = 0; comm.rank() == root && r < slices.size(); ++r) {
        list[r] = allocate_vector<std::byte>(purpose, slices[r].count * sizeof(T));
        if (!list[r].empty()) std::memcpy(list[r].data(), array + slices[r].begin, list[r].size());
      }
      return list;
    });
    received = comm.backend().exchange(messages);
  }
  return comm.collectively([&] {
    auto const& mine = received[static_cast<std::size_t>(root)];
    auto slice = allocate_vector<T>(purpose, mine.size() / sizeof(T));
    if (!slice.empty()) std::memcpy(static_cast<void*>(slice.data()), mine.data(), mine.size());
    return slice;
  });
}

}  // namespace einkorn::detail
