// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/gather.hpp"
#include "support/measure.hpp"
#include "support/progress.hpp"
#include "support/screening.hpp"
#include "support/timing.hpp"

#include <einkorn/core/arch.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <vector>

namespace einkorn::perf {

namespace {

constexpr double batch_seconds = is_gpu<Exec> ? 3e-3 : 10e-3;
constexpr int longest_batch = 1000;
constexpr int batches_per_round = 3;
// With Rule::screen:
constexpr int min_rounds = 3, rounds_of_conversions = 3;
constexpr double enough_seconds = 10.0;

struct Samples {
  int batch = 1;
  std::vector<double> warm, cold, graph;
};

/// What a row throws when it runs becomes its refusal.
template <class Work>
void or_refuse(Candidate& candidate, Work const& work) {
  try {
    work();
  } catch (std::exception const& failure) {
    candidate.run = nullptr;
    candidate.refusal = failure.what();
  }
}

/// Seconds of one operation in replays that together hold about `batch` of them.
double replayed(Exec const& exec, GraphReplay const& graph, int batch) {
  int const replays = std::max(1, batch / graph.copies());
  auto const work = [&] {
    for (int k = 0; k < replays; ++k) graph();
  };
  return seconds_of(exec, [&] { graph(); }, work) / (replays * graph.copies());
}

}  // namespace

void capture_graphs(Exec const& exec, Rule const& rule, MatrixReport& report) {
  if (!rule.graph || !GraphReplay::available()) return;
  for (auto& result : report.results) {
    auto const& candidate = result.candidate;
    if (!candidate.run || candidate.operation != "spmv") continue;
    try {
      result.graph = std::make_shared<GraphReplay const>(exec, candidate.run);
    } catch (std::exception const& failure) {
      result.graph_refusal = failure.what();
    }
  }
}

void measure(Exec const& exec, Bandwidth const& bandwidth, Rule const& rule, MatrixReport& report) {
  Kokkos::Timer const timer;
  auto const nothing = [] {};
  std::vector<Samples> samples(report.results.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& candidate = report.results[i].candidate;
    if (!candidate.run || candidate.operation != "spmv") continue;
    or_refuse(candidate, [&] {
      seconds_of(exec, nothing, candidate.run);
      double const once = std::max(seconds_of(exec, nothing, candidate.run), 1e-7);
      samples[i].batch = std::clamp(static_cast<int>(batch_seconds / once), 1, longest_batch);
    });
  }

  std::optional<Gather> gather;
  if (rule.gather) gather.emplace(exec, report.cols, report.scalar_bytes);
  std::vector<double> copies, streams, gathers;
  std::vector<bool> takes_part(samples.size(), true);
  int rounds = 0;
  for (int round = 0; round < rule.rounds; ++round) {
    if (rule.screen && round >= min_rounds && timer.seconds() > enough_seconds) break;
    ++rounds;
    copies.push_back(seconds_of(exec, nothing, [&] { bandwidth.copy(); }));
    streams.push_back(seconds_of(exec, nothing, [&] { bandwidth.stream(); }));
    if (gather) gathers.push_back(seconds_of(exec, nothing, [&] { (*gather)(); }));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      auto& candidate = report.results[i].candidate;
      auto const parts = static_cast<int>(samples.size());
      progress::step(round * parts + static_cast<int>(i), rule.rounds * parts);
      bool const converts = candidate.operation == "conversion";
      if (!candidate.run || !takes_part[i]) continue;
      if (rule.screen && converts && (round == 0 ? rule.rounds > 1 : round > rounds_of_conversions)) continue;
      int const batch = samples[i].batch;
      auto const batched = [&] {
        for (int k = 0; k < batch; ++k) candidate.run();
      };
      or_refuse(candidate, [&] {
        bool const multiplies = candidate.operation == "spmv";
        for (int k = 0; k < (multiplies ? batches_per_round : 1); ++k)
          if (rule.warm || !multiplies)
            samples[i].warm.push_back(seconds_of(exec, candidate.run, batched) / batch);
        if (rule.cold && multiplies)
          samples[i].cold.push_back(seconds_of(exec, [&] { bandwidth.flush(); }, candidate.run));
        if (report.results[i].graph)
          samples[i].graph.push_back(replayed(exec, *report.results[i].graph, batch));
      });
    }
    if (!rule.screen || round > 0) continue;
    std::vector<double> first;
    for (auto const& of_row : samples) first.push_back(median(rule.warm ? of_row.warm : of_row.cold));
    takes_part = worth_a_second_round(report.results, first);
  }

  report.rounds = rounds;
  report.copy_bytes_per_second = static_cast<double>(bandwidth.copy_bytes()) / median(copies);
  report.stream_bytes_per_second = static_cast<double>(bandwidth.stream_bytes()) / median(streams);
  if (gather) report.gather_per_second = static_cast<double>(gather->count()) / median(gathers);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& result = report.results[i];
    if (!result.candidate.run) continue;
    if (!samples[i].warm.empty()) result.warm_seconds = median(samples[i].warm);
    if (!samples[i].cold.empty()) result.cold_seconds = median(samples[i].cold);
    result.warm_spread = spread(samples[i].warm);
    result.cold_spread = spread(samples[i].cold);
    if (!samples[i].graph.empty()) result.graph_seconds = median(samples[i].graph);
    result.graph_spread = spread(samples[i].graph);
  }
}

}  // namespace einkorn::perf
