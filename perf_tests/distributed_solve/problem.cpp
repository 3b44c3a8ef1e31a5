// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed_solve/problem.hpp"
#include "einkorn/operator_bytes.hpp"
#include "support/matrices.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/all_formats.hpp>
#include <einkorn/formats/distributed/distribute_csr.hpp>
#include <einkorn/formats/distributed/distribute_rows.hpp>
#include <einkorn/formats/distributed/row_blocks.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

namespace einkorn::perf::distributed {

namespace {

constexpr std::int64_t max_int = std::numeric_limits<int>::max();

struct Rows {
  Kokkos::View<int*, Kokkos::HostSpace> offsets;
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> columns;
  Kokkos::View<double*, Kokkos::HostSpace> values;
};

template <class Pattern>
Rows rows_of(Pattern const& pattern, std::int64_t first, std::int64_t count) {
  std::int64_t entries = 0;
  for (std::int64_t i = 0; i < count; ++i) entries += pattern.row(first + i).length();
  require<InvalidArgument>(entries <= max_int, [&] {
    return std::to_string(entries) + " entries of one rank, at most 2^31 - 1 are supported";
  });
  Rows rows;
  rows.offsets = decltype(rows.offsets)("einkorn::perf::offsets", static_cast<std::size_t>(count) + 1);
  rows.columns = decltype(rows.columns)("einkorn::perf::columns", static_cast<std::size_t>(entries));
  rows.values = decltype(rows.values)("einkorn::perf::values", static_cast<std::size_t>(entries));
  std::size_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    auto const row = pattern.row(first + i);
    for (std::int64_t k = 0; k < row.length(); ++k, ++at) {
      rows.columns(at) = row.column(k);
      rows.values(at) = scalar_from<double>(row.value(row.column(k)));
    }
    rows.offsets(static_cast<std::size_t>(i) + 1) = static_cast<int>(at);
  }
  return rows;
}

Vector ones(std::size_t n) {
  Vector const v("einkorn::perf::ones", n);
  Kokkos::deep_copy(v, 1.0);
  return v;
}

RankMatrix stencil_on_ranks(Exec const& exec, Communicator const& comm, std::string const& spec) {
  auto const pattern = make_stencil(parse_generator(spec), false);
  auto const blocks = RowBlocks::uniform(pattern.num_rows(), comm.size());
  auto const rows =
      comm.collectively([&] { return rows_of(pattern, blocks.begin(comm.rank()), blocks.size(comm.rank())); });
  return distribute_rows(exec, comm, blocks, rows.offsets, rows.columns, rows.values);
}

Matrix whole_stencil(Exec const& exec, std::string const& spec) {
  auto const rows = make_stencil(parse_generator(spec), false).num_rows();
  require<InvalidArgument>(rows <= max_int / 7,
                           [&] { return spec + ": too large for one rank without MPI; use --no-alone"; });
  return generate<double, int, int, Device>(exec, spec);
}

/// @param whole  the matrix, on rank 0
RankMatrix matrix_of_rank_0(Exec const& exec, Communicator const& comm, std::string const& name,
                            Matrix& whole) {
  comm.collectively([&] {
    if (comm.rank() != 0) return;
    whole = load_matrix<double, int, int>(exec, name);
    require<DimensionMismatch>(whole.num_rows == whole.num_cols, [&] {
      return name + ": A is " + std::to_string(whole.num_rows) + " x " + std::to_string(whole.num_cols) +
             ", expected a square matrix";
    });
  });
  return distribute_csr(exec, comm, balanced_blocks(comm, whole), whole);
}

}  // namespace

Local to_local(Exec const& exec, Matrix const& A, FormatName format) {
  LocalMatrix const converted = make_any_matrix<double, Formats>(exec, A, format);
  return Local(converted);
}

std::size_t bytes_of(LocalMatrix const& A) {
  return std::visit(
      [&](auto const& plan) -> std::size_t {
        if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, std::monostate>) {
          return 0;
        } else if constexpr (CsrMatrix<std::decay_t<decltype(plan.matrix())>>) {
          auto const counts = counts_of(plan.matrix());
          return csr_bytes(counts) - vector_bytes(counts);
        } else {
          return plan.matrix().bytes();
        }
      },
      A.plan());
}

Problem make_problem(Exec const& exec, std::shared_ptr<Transport<Exec>> transport, Settings const& settings,
                     FormatName format) {
  auto const& comm = transport->communicator();
  Matrix whole;  // on rank 0
  auto A = settings.matrix.empty() ? stencil_on_ranks(exec, comm, settings.matrix_name())
                                   : matrix_of_rank_0(exec, comm, settings.matrix, whole);
  auto op = make_distributed_operator<double>(
      exec, A, transport, [&](Matrix const& local) { return to_local(exec, local, format); });
  auto const rows = op.num_rows();
  Problem problem{exec, std::move(transport), format, std::move(A), std::move(op), {}, {}};
  problem.comm().collectively([&] {
    problem.b = ones(rows);
    if (!settings.alone || problem.comm().rank() != 0) return;
    if (settings.matrix.empty()) whole = whole_stencil(exec, settings.matrix_name());
    problem.alone.emplace(
        Alone{whole, to_local(exec, whole, format), ones(static_cast<std::size_t>(whole.num_rows))});
  });
  return problem;
}

}  // namespace einkorn::perf::distributed
