// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/gather.hpp"
#include "support/measure.hpp"
#include "support/progress.hpp"
#include "support/screening.hpp"
#include "support/timing.hpp"

#include <einkorn/core/arch.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <vector>

namespace einkorn::perf {

namespace {

constexpr double batch_seconds = is_gpu<Exec> ? 3e-3 : 10e-3;
constexpr int max_batch = 1000;
constexpr int batches_per_round = 3;
// With MeasureOptions::screen:
constexpr int min_rounds = 3, max_conversion_rounds = 3;
constexpr double max_screening_seconds = 10.0;

struct Samples {
  int batch = 1;
  std::vector<double> warm, cold, graph;
};

/// An exception of a running row becomes its refusal.
template <class Work>
void run_or_refuse(Candidate& candidate, Work const& work) {
  try {
    work();
  } catch (std::exception const& failure) {
    candidate.run = nullptr;
    candidate.refusal = failure.what();
  }
}

/// The driver of a GPU clears freed memory, and kernels have less bandwidth meanwhile: H200, CUDA 13.0, 2.3 ms per GB, in
/// which reading takes 14 % longer (2026-11). This is long enough for 40 GB.
void wait_until_freed_memory_is_clear() {
  if (is_gpu<Exec>) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

/// Seconds per operation in replays of about `batch` operations in total.
double replayed(Exec const& exec, GraphReplay const& graph, int batch) {
  int const replays = std::max(1, batch / graph.copies());
  auto const work = [&] {
    for (int k = 0; k < replays; ++k) graph();
  };
  return seconds_of(exec, [&] { graph(); }, work) / (replays * graph.copies());
}

/// The time of a run after another one; its result is freed before and after.
double seconds_of_conversion(Exec const& exec, Candidate const& candidate) {
  auto const free_result = [&] {
    if (candidate.after) candidate.after();
  };
  auto const before = [&] {
    candidate.run();
    free_result();
  };
  double const seconds = seconds_of(exec, before, candidate.run);
  free_result();
  return seconds;
}

}  // namespace

void capture_graphs(Exec const& exec, MeasureOptions const& measuring, MatrixReport& report) {
  if (!measuring.graph || !GraphReplay::available()) return;
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

void measure(Exec const& exec, Bandwidth const& bandwidth, MeasureOptions const& measuring,
             MatrixReport& report) {
  Kokkos::Timer const timer;
  auto const nothing = [] {};
  std::vector<Samples> samples(report.results.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto& candidate = report.results[i].candidate;
    if (!candidate.run || candidate.operation != "spmv") continue;
    run_or_refuse(candidate, [&] {
      seconds_of(exec, nothing, candidate.run);
      double const once = std::max(seconds_of(exec, nothing, candidate.run), 1e-7);
      samples[i].batch = std::clamp(static_cast<int>(batch_seconds / once), 1, max_batch);
    });
  }

  std::optional<Gather> gather;
  if (measuring.gather) gather.emplace(exec, report.cols, report.scalar_bytes);
  std::vector<double> copies, streams, gathers;
  std::vector<bool> active(samples.size(), true);
  auto const parts = static_cast<int>(samples.size());
  int rounds = 0;
  wait_until_freed_memory_is_clear();
  for (int round = 0; round < measuring.rounds; ++round) {
    if (measuring.screen && round >= min_rounds && timer.seconds() > max_screening_seconds) break;
    ++rounds;
    copies.push_back(seconds_of(exec, nothing, [&] { bandwidth.copy(); }));
    streams.push_back(seconds_of(exec, nothing, [&] { bandwidth.stream(); }));
    if (gather) gathers.push_back(seconds_of(exec, nothing, [&] { (*gather)(); }));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      auto& candidate = report.results[i].candidate;
      progress::step(round * parts + static_cast<int>(i), measuring.rounds * parts);
      if (!candidate.run || !active[i] || candidate.operation != "spmv") continue;
      int const batch = samples[i].batch;
      auto const batched = [&] {
        for (int k = 0; k < batch; ++k) candidate.run();
      };
      run_or_refuse(candidate, [&] {
        for (int k = 0; k < batches_per_round; ++k)
          if (measuring.warm) samples[i].warm.push_back(seconds_of(exec, candidate.run, batched) / batch);
        if (measuring.cold)
          samples[i].cold.push_back(seconds_of(exec, [&] { bandwidth.flush(); }, candidate.run));
        if (report.results[i].graph)
          samples[i].graph.push_back(replayed(exec, *report.results[i].graph, batch));
      });
    }
    if (!measuring.screen || round > 0) continue;
    std::vector<double> first;
    for (auto const& row : samples) first.push_back(median(measuring.warm ? row.warm : row.cold));
    active = select_for_second_round(report.results, first);
  }
  // After the products, because these rows free memory.
  for (int round = 0; round < (measuring.screen ? std::min(rounds, max_conversion_rounds) : rounds); ++round)
    for (std::size_t i = 0; i < samples.size(); ++i) {
      auto& candidate = report.results[i].candidate;
      if (!candidate.run || !active[i] || candidate.operation == "spmv") continue;
      run_or_refuse(candidate, [&] { samples[i].warm.push_back(seconds_of_conversion(exec, candidate)); });
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
