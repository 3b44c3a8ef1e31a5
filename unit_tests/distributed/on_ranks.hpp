// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Products and solves of a host matrix on the ranks of a loopback.

#include "../solvers/solved.hpp"
#include "../support/host_matrix.hpp"
#include "../support/ranks.hpp"
#include "../support/types.hpp"

#include <einkorn/core/comm/loopback.hpp>
#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace einkorn::test {

/// 1 to 4 ranks with blocks of equal and of different sizes, some without rows.
inline std::vector<RowBlocks> some_blocks(std::size_t rows) {
  auto const n = static_cast<std::int64_t>(rows);
  return {RowBlocks::uniform(n, 1),           RowBlocks::uniform(n, 2),       RowBlocks::uniform(n, 3),
          RowBlocks::uniform(n, 4),           RowBlocks({0, 0, n / 3, n}),    RowBlocks({0, n, n}),
          RowBlocks({0, n - n / 4, n, n, n}), RowBlocks({0, n / 5, n / 2, n})};
}

template <class S>
std::vector<S> part_of(std::vector<S> const& v, RowBlocks const& blocks, int rank) {
  return {v.begin() + blocks.begin(rank), v.begin() + blocks.end(rank)};
}

/// Ghosts that a product must not read are NaN.
inline LoopbackOptions poisoned() {
  LoopbackOptions options;
  options.poison_ghosts = true;
  return options;
}

/// body(exec, A, transport) on every rank, with the rank's part of the matrix, which rank 0 has distributed.
template <class S, class Body>
void on_ranks(HostMatrix<S> const& A, RowBlocks const& blocks, Body const& body,
              LoopbackOptions const& loopback = poisoned()) {
  run_ranks(blocks.num_ranks(), [&](Communicator const& comm) {
    Space const exec = instance_of_rank();
    auto const D =
        distribute_csr(exec, comm, blocks, comm.rank() == 0 ? A.on_device() : Csr<S, int, int, Device>());
    std::shared_ptr<Transport<Space>> const transport =
        std::make_shared<LoopbackTransport<Space>>(comm, loopback);
    body(exec, D, transport);
  });
}

/// The result of a solve on ranks: x of all of them, and the report of each.
template <class S>
struct SolvedOnRanks {
  std::vector<S> x;
  std::vector<SolveReport> reports;
};

/// solve(exec, A, transport, b, x), a SolveReport, on every rank.
template <class S, class Solve>
SolvedOnRanks<S> solved_on_ranks(HostMatrix<S> const& A, RowBlocks const& blocks, std::vector<S> const& b,
                                 std::vector<S> const& x0, Solve const& solve,
                                 LoopbackOptions const& loopback = poisoned()) {
  SolvedOnRanks<S> result{x0, std::vector<SolveReport>(static_cast<std::size_t>(blocks.num_ranks()))};
  on_ranks(
      A, blocks,
      [&](Space const& exec, auto const& D, auto const& transport) {
        int const rank = D.communicator.rank();
        auto const x = to_device(part_of(x0, blocks, rank));
        result.reports[static_cast<std::size_t>(rank)] =
            solve(exec, D, transport, to_device(part_of(b, blocks, rank)), x);
        auto const part = to_host(x);
        std::copy(part.begin(), part.end(), result.x.begin() + blocks.begin(rank));
      },
      loopback);
  return result;
}

}  // namespace einkorn::test
