// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "distributed_solve/output.hpp"
#include "program/exchange_times.hpp"
#include "support/stamp.hpp"
#include "support/text.hpp"
#include "support/timing.hpp"
#include "support/traffic.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace einkorn::perf::distributed {

namespace {

using Json = nlohmann::ordered_json;
using program::ExchangeTimes;

Json statistics(std::vector<double> const& samples) {
  return {{"median", median(samples)},
          {"min", *std::min_element(samples.begin(), samples.end())},
          {"max", *std::max_element(samples.begin(), samples.end())},
          {"samples", samples}};
}

std::string name_of_execution(Execution execution) {
  return execution == Execution::automatic  ? "automatic"
         : execution == Execution::launches ? "launches"
         : execution == Execution::graph    ? "graph"
                                            : "persistent";
}

/// One kind of row: the times of an iteration and what it moves.
struct Row {
  std::string suite, execution;
  std::vector<double> seconds;  // per iteration
  SolveReport report;
  std::size_t matrix_bytes = 0;
  double copy_bytes_per_second = 0;
};

std::size_t floor_vectors(Solver const& solver) {
  return solver.products == 2 ? 17 : 8;
}

Json record_of(Context const& context, Sizes const& sizes, Settings const& settings, Solver const& solver,
               Row const& row) {
  auto const n = static_cast<std::size_t>(sizes.rows);
  auto const bytes = solver.products * row.matrix_bytes + solver.vectors * n * sizeof(double);
  auto const floor = solver.products * row.matrix_bytes + floor_vectors(solver) * n * sizeof(double);
  double const seconds = median(row.seconds), rate = static_cast<double>(bytes) / seconds;
  MatrixCounts const counts{n,           n,          static_cast<std::size_t>(sizes.entries), sizeof(double),
                            sizeof(int), sizeof(int)};
  Json record{{"matrix", settings.matrix_name()},
              {"suite", row.suite},
              {"rows", n},
              {"cols", n},
              {"nnz", sizes.entries},
              {"operation", solver.operation},
              {"format", settings.format},
              {"algorithm", row.execution + " " + solver.fusion},
              {"library", "einkorn"},
              {"peer", false},
              {"scalar", "double"},
              {"ordinal", "int32"},
              {"columns", 1},
              {"layout", ""},
              {"solver", solver.operation},
              {"execution", row.execution},
              {"fusion", solver.fusion},
              {"n", n},
              {"iterations", settings.iterations},
              {"iterations_done", row.report.iterations},
              {"replace_every", settings.replace_every},
              {"time_per_iteration_us", 1e6 * seconds},
              {"bytes_per_iteration", bytes},
              {"floor_bytes", floor},
              {"vectors", solver.vectors},
              {"residual", row.report.residual / row.report.reference},
              {"checked_iterations", 0},
              {"seconds", seconds},
              {"spread", nullptr},
              {"min_seconds", *std::min_element(row.seconds.begin(), row.seconds.end())},
              {"max_seconds", *std::max_element(row.seconds.begin(), row.seconds.end())},
              {"samples", row.seconds},
              {"bytes", bytes},
              {"csr_bytes", csr_bytes(counts)},
              {"gb_per_s", 1e-9 * rate},
              {"copy_gb_per_s", 1e-9 * row.copy_bytes_per_second},
              {"fraction_of_copy", rate / row.copy_bytes_per_second},
              {"floor_fraction_of_copy", static_cast<double>(floor) / seconds / row.copy_bytes_per_second},
              {"cold", false},
              {"temperature", "warm"},
              {"rounds", settings.rounds}};
  if (auto const noise = spread(row.seconds)) record["spread"] = *noise;
  stamp(record, context);
  return record;
}

/// Null unless the choice was automatic.
Json json_of(std::vector<TransportTime> const& times) {
  if (times.empty()) return nullptr;
  Json rows = Json::array();
  for (auto const& time : times)
    rows.push_back({{"name", time.name},
                    {"gather_seconds", time.gather_seconds},  // NaN becomes null
                    {"exchange_seconds", time.exchange_seconds},
                    {"error", time.error.empty() ? Json(nullptr) : Json(time.error)}});
  return rows;
}

void add_distribution(Json& record, Sizes const& sizes, Settings const& settings, Measured const& measured) {
  record["ranks"] = sizes.ranks;
  record["transport"] = sizes.transport;
  record["transport_times"] = json_of(sizes.transport_times);
  record["grid"] = settings.matrix.empty() ? Json(settings.grid) : Json(nullptr);
  record["rows_per_rank"] = {{"min", sizes.min_rows}, {"max", sizes.max_rows}};
  record["ghosts_per_rank"] = {{"min", sizes.min_ghosts}, {"max", sizes.max_ghosts}};
  record["gather_seconds"] = statistics(measured.samples(&Round::gather));
  record["exchange_seconds"] = statistics(measured.samples(&ExchangeTimes::exchange));
  record["local_product_seconds"] = statistics(measured.samples(&ExchangeTimes::local));
  record["product_seconds"] = statistics(measured.samples(&ExchangeTimes::product));
  record["product_without_exchange_seconds"] = statistics(measured.samples(&ExchangeTimes::without_exchange));
  auto const hidden = program::hidden_fraction(measured.exchange());
  record["hidden_fraction"] = hidden ? Json(*hidden) : Json(nullptr);
}

/// All solvers are measured in one run: one bandwidth.
double copy_rate(Bandwidth const& bandwidth, std::vector<MeasuredFormat> const& all, double Round::* copy) {
  std::vector<double> seconds;
  for (auto const& format : all)
    for (auto const& measured : format.solvers)
      for (double const sample : measured.samples(copy)) seconds.push_back(sample);
  return static_cast<double>(bandwidth.copy_bytes()) / median(seconds);
}

/// The records of one format, with the copy bandwidths in bytes per second of all ranks and of one process.
void add_records(Json& records, Context const& context, MeasuredFormat const& format, double copy_of_ranks,
                 double copy_alone) {
  auto const& [settings, sizes, solvers] = format;
  auto const suite = std::to_string(sizes.ranks) + (sizes.ranks == 1 ? " rank" : " ranks");
  for (auto const& measured : solvers) {
    Row const row{suite,
                  name_of_execution(settings.execution),
                  measured.samples(&Round::iteration),
                  measured.report,
                  sizes.matrix_bytes,
                  copy_of_ranks};
    auto record = record_of(context, sizes, settings, measured.solver, row);
    add_distribution(record, sizes, settings, measured);
    records.push_back(record);
    if (!settings.alone) continue;
    Row const alone{"",
                    "automatic",
                    measured.samples(&Round::alone_iteration),
                    measured.alone_report,
                    sizes.alone_bytes,
                    copy_alone};
    records.push_back(record_of(context, sizes, settings, measured.solver, alone));
  }
}

}  // namespace

Sizes sizes_of(Problem const& problem, std::vector<TransportTime> transport_times) {
  struct OfRank {
    std::int64_t rows, entries, ghosts;
    std::size_t bytes;
  };
  auto const& A = problem.A;
  auto const boundary = A.boundary_rows.extent(0);
  std::size_t bytes = bytes_of(problem.op.local().matrix());
  if (boundary > 0)
    bytes += static_cast<std::size_t>(A.ghost.nnz()) * (sizeof(double) + sizeof(int)) +
             (2 * boundary + 1) * sizeof(int);
  auto const all = problem.comm().all_gather(OfRank{A.num_rows(), static_cast<std::int64_t>(A.num_entries()),
                                                    static_cast<std::int64_t>(A.num_ghosts()), bytes});
  Sizes sizes;
  sizes.transport = problem.transport->name();
  sizes.transport_times = std::move(transport_times);
  sizes.ranks = problem.comm().size();
  sizes.min_rows = sizes.max_rows = all[0].rows;
  sizes.min_ghosts = sizes.max_ghosts = all[0].ghosts;
  for (auto const& rank : all) {
    sizes.rows += rank.rows;
    sizes.entries += rank.entries;
    sizes.matrix_bytes += rank.bytes;
    sizes.min_rows = std::min(sizes.min_rows, rank.rows);
    sizes.max_rows = std::max(sizes.max_rows, rank.rows);
    sizes.min_ghosts = std::min(sizes.min_ghosts, rank.ghosts);
    sizes.max_ghosts = std::max(sizes.max_ghosts, rank.ghosts);
  }
  if (problem.alone) sizes.alone_bytes = bytes_of(problem.alone->op.matrix());
  return sizes;
}

void print_table(std::ostream& out, MeasuredFormat const& measured_format) {
  auto const& [settings, sizes, all] = measured_format;
  out << settings.matrix_name() << ", " << settings.format << ", " << sizes.ranks
      << (sizes.ranks == 1 ? " rank" : " ranks") << ", transport " << sizes.transport << ", "
      << sizes.min_ghosts << " to " << sizes.max_ghosts << " ghosts per rank\n"
      << settings.iterations << " iterations, residual replaced after every " << settings.replace_every
      << "; median of " << settings.rounds << " rounds (min, max)\n\n";
  auto const line = [&](std::string const& name, std::vector<double> const& samples) {
    out << text("%-36s %10s  (%s, %s)\n", name.c_str(), time_text(median(samples)).c_str(),
                time_text(*std::min_element(samples.begin(), samples.end())).c_str(),
                time_text(*std::max_element(samples.begin(), samples.end())).c_str());
  };
  for (auto const& measured : all) {
    auto const& name = measured.solver.name;
    line(name + ", per iteration", measured.samples(&Round::iteration));
    if (settings.alone) {
      auto const alone = measured.samples(&Round::alone_iteration);
      line("  without MPI on rank 0", alone);
      out << text("  %-34s %10.3f\n", "without MPI / on the ranks",
                  median(alone) / median(measured.samples(&Round::iteration)));
    }
    line("  gather of 5 doubles", measured.samples(&Round::gather));
    line("  product", measured.samples(&ExchangeTimes::product));
    line("  product without exchange", measured.samples(&ExchangeTimes::without_exchange));
    line("  local product", measured.samples(&ExchangeTimes::local));
    line("  exchange of ghosts", measured.samples(&ExchangeTimes::exchange));
    if (auto const hidden = program::hidden_fraction(measured.exchange()))
      out << text("  %-34s %9.1f%%\n", "exchange hidden", 100 * *hidden);
  }
}

nlohmann::ordered_json records_of(Context const& context, Bandwidth const& bandwidth,
                                  std::vector<MeasuredFormat> const& all) {
  Json records = Json::array();
  double const copy = copy_rate(bandwidth, all, &Round::copy);
  for (auto const& format : all)
    add_records(records, context, format, format.sizes.ranks * copy,
                format.settings.alone ? copy_rate(bandwidth, all, &Round::alone_copy) : 0.0);
  return records;
}
}  // namespace einkorn::perf::distributed
