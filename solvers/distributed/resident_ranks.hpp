// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/cooperative.hpp>
#include <einkorn/core/cooperative_vector.hpp>
#include <einkorn/solvers/engine/resident.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace einkorn::detail {

/// RowEntries of the rows of a rank: those of the local part, then the ghost columns, as columns num_rows, num_rows + 1,
/// ... Local: RowEntries of the local part. Ghost: the Csr of the boundary rows.
template <class Local, class Ghost, class Rows>
struct RankEntries {
  using scalar_type = typename Local::scalar_type;
  using ordinal_type = typename Local::ordinal_type;
  static constexpr bool max_is_known = false;

  Local local;
  Ghost ghost;
  Rows boundary_rows;
  std::size_t num_rows, longest_boundary_row;
  ResidentSends sends = {};

  [[nodiscard]] bool is_available() const { return local.is_available(); }
  template <class Exec>
  [[nodiscard]] std::size_t max_row_length(Exec const& exec) const {
    return std::max(local.max_row_length(exec), longest_boundary_row);
  }
  template <class Row, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(Row row, Body const& body) const {
    local.for_each(row, body);
    auto const boundary = boundary_rows.extent(0);
    auto const at = lower_bound_index(boundary_rows, std::size_t(0), boundary, row);
    if (at == boundary || boundary_rows(at) != row) return;
    for (auto k = ghost.row_offsets(at); k < ghost.row_offsets(at + 1); ++k)
      body(static_cast<ordinal_type>(num_rows + static_cast<std::size_t>(ghost.columns(k))),
           scalar_type(ghost.values(k)));
  }
};

/// What the persistent loops of several ranks share: the slots of their sums, and the vector whose entries they
/// exchange, of num_rows + ghosts entries.
template <class Exec, class Scalar>
class ResidentRanks {
 public:
  using Exchange = CooperativeVector<Exec, Scalar>;

  /// Collective. Empty if the transport has no memory that all ranks access, or a rank has no blocks.
  /// @param op      DistributedOperator
  /// @param blocks  of the launch of this rank; 0: its rows do not fit on the chip
  template <class Operator>
  static std::shared_ptr<ResidentRanks> make(Exec const& exec, Operator const& op, int blocks) {
    auto const& comm = op.communicator();
    auto const all = comm.all_gather(blocks);
    int const total = [&] {
      int sum = 0;
      for (int const of_rank : all) sum = of_rank == 0 || sum < 0 ? -1 : sum + of_rank;
      return sum;
    }();
    if (total <= 0 || comm.size() > max_cooperative_ranks) return nullptr;
    auto const entries = op.num_rows() + op.matrix().halo.messages.num_received();
    auto const slot_words = 2 * ceil_div(CooperativeSlots::num_words(total), 2);  // aligned to 16 bytes
    auto memory =
        op.transport().share_memory(exec, (slot_words + Exchange::num_words(entries)) * sizeof(std::uint64_t));
    if (memory == nullptr) return nullptr;
    auto result = comm.collectively([&] { return std::make_shared<ResidentRanks>(); });
    result->memory_ = std::move(memory);
    result->exchange_ = Exchange(result->words_of(comm.rank()) + slot_words, entries);
    auto& slots = result->slots_;
    slots = {result->words_of(comm.rank()), total, comm.rank(), comm.size()};
    for (int r = 0; r < comm.size(); ++r) {
      slots.words_of_rank[r] = result->words_of(r);
      if (r < comm.rank()) slots.first_block += all[static_cast<std::size_t>(r)];
    }
    result->connect(exec, op, slot_words);
    return result;
  }

  [[nodiscard]] CooperativeSlots const& slots() const { return slots_; }
  [[nodiscard]] Exchange const& exchange() const { return exchange_; }
  [[nodiscard]] ResidentSends sends() const { return {sends_.data(), sends_.extent(0)}; }

 private:
  [[nodiscard]] std::uint64_t* words_of(int rank) const {
    return reinterpret_cast<std::uint64_t*>(memory_->of(rank));
  }
  template <class Operator>
  void connect(Exec const& exec, Operator const& op, std::size_t slot_words) {
    auto const& comm = op.communicator();
    auto const& messages = op.matrix().halo.messages;
    using Positions = std::vector<std::vector<std::uint64_t>>;
    // Each rank tells its senders at which word their first entry is.
    auto const positions = comm.collectively([&] {
      auto list = allocate_vector<std::vector<std::uint64_t>>("einkorn::ResidentRanks",
                                                              static_cast<std::size_t>(comm.size()));
      for (std::size_t m = 0; m < messages.receive_ranks.size(); ++m)
        list[static_cast<std::size_t>(messages.receive_ranks[m])] = allocate_vector<std::uint64_t>(
            "einkorn::ResidentRanks", 1,
            slot_words + Exchange::num_words(op.num_rows() + messages.receive_offsets[m]));
      return list;
    });
    Positions const received = comm.exchange(positions);
    comm.collectively([&] {
      std::vector<ResidentSend> list;
      reserve(list, "einkorn::ResidentRanks", messages.num_sent());
      for (std::size_t m = 0; m < messages.send_ranks.size(); ++m) {
        int const to = messages.send_ranks[m];
        auto* const words = words_of(to) + received.at(static_cast<std::size_t>(to)).at(0);
        for (std::size_t i = messages.send_offsets[m]; i < messages.send_offsets[m + 1]; ++i)
          list.push_back({static_cast<std::size_t>(op.matrix().halo.send_rows[i]),
                          words + Exchange::num_words(i - messages.send_offsets[m])});
      }
      std::stable_sort(list.begin(), list.end(),
                       [](ResidentSend const& a, ResidentSend const& b) { return a.row < b.row; });
      sends_ = allocate<decltype(sends_)>(exec, "einkorn::ResidentRanks::sends", list.size());
      Kokkos::View<ResidentSend const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(
          list.data(), list.size());
      Kokkos::deep_copy(exec, sends_, host);
      exec.fence("einkorn::ResidentRanks: the entries to send");
    });
  }

  std::unique_ptr<RankMemory> memory_;
  CooperativeSlots slots_{};
  Exchange exchange_;
  Kokkos::View<ResidentSend*, typename Exec::memory_space> sends_;
};

}  // namespace einkorn::detail
