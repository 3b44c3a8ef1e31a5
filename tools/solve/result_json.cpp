// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "program/output.hpp"
#include "solve/json.hpp"
#include "solve/result.hpp"

#include <einkorn/core/version.hpp>

#include <optional>
#include <string>
#include <vector>

namespace einkorn::tools {

namespace {

std::string json_range(RankRange const& range) {
  return json_object({{"min", std::to_string(range.min)}, {"max", std::to_string(range.max)}});
}

std::string json_transport_times(std::vector<TransportTime> const& times) {
  if (times.empty()) return "null";
  std::string rows;
  for (auto const& time : times)
    rows += (rows.empty() ? "" : ", ") +
            json_object({{"name", json_text(time.name)},
                         {"gather_seconds", json_number(time.gather_seconds)},
                         {"exchange_seconds", json_number(time.exchange_seconds)},
                         {"error", time.error.empty() ? "null" : json_text(time.error)}});
  return "[" + rows + "]";
}

std::string json_distribution(Distribution const& distribution) {
  return json_object({{"transport", json_text(distribution.transport)},
                      {"transport_times", json_transport_times(distribution.transport_times)},
                      {"rows", json_range(distribution.rows)},
                      {"entries", json_range(distribution.entries)},
                      {"ghosts", json_range(distribution.ghosts)},
                      {"neighbours", json_range(distribution.neighbours)}});
}

std::string json_exchange(program::ExchangeTimes const& times) {
  auto const hidden = program::hidden_fraction(times);
  return json_object({{"product_seconds", json_number(times.product)},
                      {"product_without_exchange_seconds", json_number(times.without_exchange)},
                      {"exchange_seconds", json_number(times.exchange)},
                      {"local_product_seconds", json_number(times.local)},
                      {"hidden_fraction", hidden ? json_number(*hidden) : "null"}});
}

std::string json_seconds(Result const& result) {
  auto const iterations = static_cast<double>(result.report.iterations);
  return json_object({{"read", json_number(result.read_seconds)},
                      {"set_up", json_number(result.setup_seconds)},
                      {"solve", json_number(result.solve_seconds)},
                      {"per_iteration", json_number(result.solve_seconds / iterations)}});
}

}  // namespace

std::string json_of(Result const& result) {
  auto const& report = result.report;
  std::string const null = "null";
  return json_object({{"program", json_text("einkorn-solve")},
                      {"version", json_text(version())},
                      {"matrix", json_text(result.matrix_name)},
                      {"rows", std::to_string(result.num_rows)},
                      {"entries", std::to_string(result.num_entries)},
                      {"right_hand_side", json_text(result.right_hand_side)},
                      {"machine", json_text(result.machine)},
                      {"ranks", std::to_string(result.distribution ? result.distribution->ranks : 1)},
                      {"distribution", result.distribution ? json_distribution(*result.distribution) : null},
                      {"format", json_text(result.format)},
                      {"solver", json_text(name_of(result.method))},
                      {"preconditioner", json_text(result.preconditioner)},
                      {"outcome", json_text(outcome_of(report))},
                      {"converged", report.converged() ? "true" : "false"},
                      {"iterations", std::to_string(report.iterations)},
                      {"restarts", std::to_string(report.restarts)},
                      {"tolerance", json_number(result.tolerance)},
                      {"residual", json_number(report.residual)},
                      {"relative_residual",
                       report.reference > 0 ? json_number(report.residual / report.reference) : null},
                      {"error", result.error ? json_number(*result.error) : null},
                      {"seconds", json_seconds(result)},
                      {"exchange", result.exchange ? json_exchange(*result.exchange) : null}}) +
         "\n";
}

void write_json(std::string const& path, Result const& result) {
  program::write_text_file(path, json_of(result));
}

}  // namespace einkorn::tools
