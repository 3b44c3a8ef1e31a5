// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed/on_rank_0.hpp"
#include "distributed/operator.hpp"
#include "distributed/owners.hpp"
#include "distributed/run.hpp"
#include "distributed/vectors.hpp"
#include "program/measure_exchange.hpp"
#include "solve/convert.hpp"
#include "solve/finish.hpp"
#include "solve/input.hpp"
#include "solve/method.hpp"
#include "solve/progress.hpp"
#include "solve/result.hpp"
#include "solve/stopwatch.hpp"
#include "solve/system.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/permute.hpp>
#include <einkorn/formats/csr/sort_rows.hpp>
#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/formats/format_name.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::tools {

namespace {

/// What rank 0 decides for all.
struct Decisions {
  SolverKind solver = SolverKind::automatic;
  PreconditionerChoice preconditioner;
  bool shows_progress = false;
};

/// A with row and column i as row and column new_ids[i].
template <class Scalar>
Matrix<Scalar> renumbered(Exec const& exec, Matrix<Scalar> const& A, std::vector<std::int64_t> const& new_ids) {
  std::vector<int> old_ids(new_ids.size());
  for (std::size_t i = 0; i < new_ids.size(); ++i)
    old_ids[static_cast<std::size_t>(new_ids[i])] = static_cast<int>(i);
  auto const rows = on_device(exec, "einkorn-solve: old_ids", old_ids);
  return sort_rows(exec, permute(exec, A, rows, rows));
}

/// The blocks of rank 0 on all ranks.
RowBlocks blocks_of_rank_0(Communicator const& comm, RowBlocks const& blocks) {
  return RowBlocks(scatter_from_rank_0(
      comm, std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(comm.size()), blocks.offsets())));
}

template <class Scalar>
Distribution distribution_of(program::ChosenTransport<Exec> const& chosen, RankMatrix<Scalar> const& A) {
  struct Sizes {
    std::int64_t rows, entries, ghosts, neighbours;
  };
  auto const& messages = A.halo.messages;
  auto ranks = messages.send_ranks;
  ranks.insert(ranks.end(), messages.receive_ranks.begin(), messages.receive_ranks.end());
  std::sort(ranks.begin(), ranks.end());
  auto const all = A.communicator.all_gather(Sizes{A.num_rows(), static_cast<std::int64_t>(A.num_entries()),
                                                   static_cast<std::int64_t>(A.num_ghosts()),
                                                   std::unique(ranks.begin(), ranks.end()) - ranks.begin()});
  auto const range_of = [&](std::int64_t Sizes::* size) {
    auto const [min, max] = std::minmax_element(
        all.begin(), all.end(), [&](Sizes const& one, Sizes const& other) { return one.*size < other.*size; });
    return RankRange{(*min).*size, (*max).*size};
  };
  return {A.communicator.size(),
          chosen.transport->name(),
          range_of(&Sizes::rows),
          range_of(&Sizes::entries),
          range_of(&Sizes::ghosts),
          range_of(&Sizes::neighbours),
          chosen.times};
}

/// "sell: REASON", or "csr on 1 of 4 ranks, sell on 3; rank 0: REASON".
std::string format_text(Communicator const& comm, FormatName mine, std::string const& reason) {
  auto names = comm.all_gather(mine);
  std::sort(names.begin(), names.end());
  if (names.front() == names.back()) return reason;
  std::string text;
  for (auto first = names.begin(); first != names.end();) {
    auto const last = std::upper_bound(first, names.end(), *first);
    text += (text.empty() ? "" : ", ") + std::string(name_of(*first)) + " on " + std::to_string(last - first);
    if (first == names.begin()) text += " of " + std::to_string(comm.size()) + " ranks";
    first = last;
  }
  return text + "; rank 0: " + reason;
}

/// A row in the order of the ranks as a row of the file.
std::int64_t row_of_file(std::vector<std::int64_t> const& new_ids, std::int64_t row) {
  if (new_ids.empty() || row < 0) return row;
  return std::find(new_ids.begin(), new_ids.end(), row) - new_ids.begin();
}

template <class Scalar>
Exit run_with(Settings const& settings, Exec const& exec, program::ChosenTransport<Exec> const& chosen,
              Stopwatch& watch, InputFiles&& files, std::string& step) {
  auto const& transport = chosen.transport;
  auto const& comm = transport->communicator();
  Result result;
  System<Scalar> system;  // on rank 0, as all that is computed in on_rank_0()
  Method method;
  OwnedOrder order;
  auto const decisions = on_rank_0(comm, [&] {
    system = load_system<Scalar>(exec, settings.matrix, std::move(files));
    result.read_seconds = watch.lap();
    result.num_rows = system.A.num_rows;
    result.num_entries = system.A.nnz();
    step = "choosing a method";
    method = method_for(exec, settings, system.A, false);
    if (!settings.owners.empty()) {
      step = "numbering the rows by owner";
      order = number_by_owner(read_owners(settings.owners, system.A.num_rows, comm.size()), comm.size());
      system.A = renumbered(exec, system.A, order.new_ids);
    }
    return Decisions{method.solver, method.preconditioner, shows_progress(settings)};
  });
  step = "distributing the matrix";
  auto const blocks =
      settings.owners.empty() ? balanced_blocks(comm, system.A) : blocks_of_rank_0(comm, order.blocks);
  auto const A = distribute_csr(exec, comm, blocks, system.A);
  system.A = {};
  auto const b = on_device(exec, "einkorn::tools::b",
                           scatter_vector(comm, blocks, order.new_ids, on_host<Scalar>(system.b)));
  system.b = {};
  step = "converting the matrix to the format of the solve";
  auto format = FormatName::csr;
  std::string reason;
  auto const op = make_distributed_operator<Scalar>(exec, A, transport, [&](Matrix<Scalar> const& local) {
    auto const converted = convert(exec, local, settings.format, expected_products(settings));
    format = converted.format;
    reason = converted.reason;
    return converted.A;
  });
  DenseVector<Scalar> const x("einkorn::tools::x", b.extent(0));
  result.format = format_text(comm, format, reason);
  result.distribution = distribution_of(chosen, A);
  result.setup_seconds = watch.lap();

  auto options = solver_options(settings);
  Progress progress(std::cerr);
  if (decisions.shows_progress)  // a callback on one rank requires one on all
    options.callback = [&](std::int64_t iteration, double residual) {
      return comm.rank() != 0 || progress(iteration, residual);
    };
  step = "solving";
  auto solved = solve_by(decisions.solver,
                         DistributedTask<Scalar>{exec, A.local, op, b, x, decisions.preconditioner, options});
  if (settings.measures_exchange) {
    step = "measuring the exchange";
    result.exchange = program::measure_exchange(exec, op, transport, 7);
  }
  step = "writing the results";
  auto const global_x = gather_vector(comm, order.new_ids, on_host<Scalar>(x));
  if (comm.rank() != 0) return solved.report.converged() ? done : not_converged;
  solved.report.row = row_of_file(order.new_ids, solved.report.row);
  result.matrix = system.matrix;
  result.right_hand_side = system.right_hand_side;
  result.tolerance = settings.tolerance;
  result.machine =
      std::string(Exec::name()) + ", concurrency " + std::to_string(exec.concurrency()) + " per rank";
  return finish<Scalar>(settings, exec, std::move(result), method, solved,
                        on_device(exec, "einkorn::tools::x", global_x), system.solution_is_ones);
}

}  // namespace

Exit run_on_ranks(Settings const& settings, program::ChosenTransport<Exec> const& chosen) {
  std::string step = "reading " + settings.matrix;
  try {
    Exec const exec;
    Stopwatch watch(exec);
    InputFiles files;
    bool const is_complex = on_rank_0(chosen.transport->communicator(), [&] {
      files = read_input(settings.matrix, settings.right_hand_side);
      return files.is_complex();
    });
    if (is_complex)
      return run_with<Kokkos::complex<double>>(settings, exec, chosen, watch, std::move(files), step);
    return run_with<double>(settings, exec, chosen, watch, std::move(files), step);
  } catch (std::bad_alloc const& failure) {  // from Kokkos or the standard library, without a purpose
    throw OutOfMemory("no memory while " + step + " (" + failure.what() + ")");
  }
}

}  // namespace einkorn::tools
