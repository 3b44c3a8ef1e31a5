// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/detail/tagged_words.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// Entries first ... first + count - 1 of the send buffer, which go to another rank.
struct KernelSend {
  std::uint64_t* words[2];  // at the receiver, for odd and even exchanges
  std::size_t first, count;
};
/// The token of a rank with messages in one direction only.
struct KernelToken {
  std::uint64_t* words[2];
};

/// A halo exchange by the teams of one kernel, with stores into the memory of the other ranks (peer_transport.hpp).
///
/// The tag is the number of the exchange. Words alternate between two sets: a rank sends exchange k + 2 after exchange
/// k + 1 has ended, in which it has heard from each of its receivers, and they sent it after reading the words of
/// exchange k. A rank that receives entries from another one and sends it none sends a token.
struct KernelHalo {
  KernelSend const* sends;
  KernelToken const* sent_tokens;
  std::uint64_t const* words[2];   // of the entries received
  std::uint64_t const* tokens[2];  // received
  int num_sends, num_sent_tokens, num_tokens;
  void* ghosts;                  // [num_received]
  std::size_t num_received;      // entries
  std::uint32_t* num_exchanges;  // so far
  unsigned* num_arrived;         // teams; 0 between launches

  /// One exchange of entries of type T: sends source(i) for every entry i to send, and writes ghosts. Called by all teams of the
  /// launch, whose number may differ between ranks. L: the lanes of the execution space.
  template <class L, class T, class Team, class Source>
  KOKKOS_FORCEINLINE_FUNCTION void run(Team const& team, Source const& source) const {
    using Words = TaggedWords<T>;
    std::uint32_t const tag = L::load_volatile(num_exchanges) + 1;
    unsigned const set = tag % 2;
    auto const size = static_cast<std::size_t>(team.team_size());
    auto const first = static_cast<std::size_t>(team.league_rank()) * size +
                       static_cast<std::size_t>(team.team_rank()),
               stride = static_cast<std::size_t>(team.league_size()) * size;
    for (int m = 0; m < num_sends; ++m) {
      KernelSend const send = sends[m];
      for (std::size_t i = first; i < send.count; i += stride)
        Words::template store<L>(send.words[set] + i * Words::count, source(send.first + i), tag);
    }
    if (team.league_rank() == 0)
      for (int m = team.team_rank(); m < num_sent_tokens; m += team.team_size())
        L::store_volatile(sent_tokens[m].words[set], std::uint64_t(tag));
    for (std::size_t g = first; g < num_received; g += stride)
      static_cast<T*>(ghosts)[g] = Words::template wait<L>(words[set] + g * Words::count, tag);
    if (team.league_rank() == 0)
      for (int m = team.team_rank(); m < num_tokens; m += team.team_size())
        while (L::load_volatile(tokens[set] + m) != tag) {
        }
    team.team_barrier();
    if (team.team_rank() > 0) return;
    if (Kokkos::atomic_fetch_add(num_arrived, 1u) + 1 < static_cast<unsigned>(team.league_size())) return;
    L::store_volatile(num_arrived, 0u);
    L::store_volatile(num_exchanges, tag);
  }
};

/// The kernel of an exchange.
template <class Exec, class T, class Source>
struct ExchangeKernel {
  static constexpr int team_size = 512;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, 1>>;

  KernelHalo halo;
  Source source;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    halo.template run<Lanes<Exec>, T>(team, source);
  }
  /// Teams for the larger of the numbers of entries: few, so that the product beside keeps most multiprocessors.
  static int league_for(std::size_t entries) {
    auto const teams = entries / team_size + 1;
    return teams < 32 ? static_cast<int>(teams) : 32;
  }
};

}  // namespace einkorn::detail
