// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/detail/measuring.hpp>
#include <einkorn/formats/analysis/effort.hpp>
#include <einkorn/formats/analysis/wisdom.hpp>
#include <einkorn/formats/spmv_options.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::detail {

/// An algorithm of a plan. lanes: 0: from the table.
struct SpmvCandidate {
  SpmvAlgorithm algorithm;
  int lanes = 0;

  friend bool operator==(SpmvCandidate const&, SpmvCandidate const&) = default;
};

/// The name in wisdom: "row_team", or "row_team:8" with 8 lanes.
inline std::string candidate_name(SpmvCandidate const& candidate) {
  std::string const name = name_of(candidate.algorithm);
  return candidate.lanes == 0 ? name : name + ':' + std::to_string(candidate.lanes);
}

/// The algorithms to time, `estimated` first. All are deterministic.
///
/// Host: row_team, segmented_sum, and row_thread; the other algorithms run the same kernels there. GPU:
/// row_team, nonzero_split, row_bins and segmented_sum; with Effort::exhaustive also row_thread, sorted_rows, and numbers of
/// lanes.
inline std::vector<SpmvCandidate> spmv_candidates(SpmvAlgorithm estimated, Effort effort, Arch arch) {
  using enum SpmvAlgorithm;
  std::vector<SpmvCandidate> all{{estimated}};
  auto const add = [&](SpmvAlgorithm algorithm, int lanes = 0) {
    SpmvCandidate const candidate{algorithm, lanes};
    if (std::find(all.begin(), all.end(), candidate) == all.end()) all.push_back(candidate);
  };
  add(row_team);
  if (arch == Arch::host) {
    add(segmented_sum);
    add(row_thread);
    return all;
  }
  add(nonzero_split);
  add(row_bins);
  add(segmented_sum);
  if (effort != Effort::exhaustive) return all;
  add(row_thread);
  add(sorted_rows);
  for (int lanes = 2; lanes <= lockstep_lanes(arch); lanes *= 2) {
    add(row_team, lanes);
    add(sorted_rows, lanes);
    if (lanes <= 16) add(row_bins, lanes);
  }
  return all;
}

/// Measures one algorithm. Throws Error if its plan cannot be made.
using MeasureSpmv = std::function<CandidateSeconds(SpmvCandidate const&)>;

/// What is measured, and how the times are compared.
struct SpmvMeasurement {
  Effort effort;
  double max_seconds, uses;
  Wisdom* wisdom;
};

/// The candidate with the smallest setup / uses + SpMV time; the first of equal ones.
///
/// `estimated` is measured in any case, another candidate only if it is expected to be done within the time
/// limit at the speed of `estimated`. Candidates that the wisdom knows are not measured again; if it knows all
/// of the effort, every one that it knows is compared.
inline SpmvCandidate measure_spmv(SpmvAlgorithm estimated, Arch arch, SpmvMeasurement const& options,
                                  std::string const& machine, std::string const& matrix_class,
                                  MeasureSpmv const& measure, Clock const& clock = steady_seconds) {
  auto const fastest = [&](WisdomRecord const& record) {
    auto const total = [&](MeasuredTime const& time) {
      return time.setup_seconds / options.uses + time.seconds;
    };
    SpmvCandidate best{estimated};
    MeasuredTime const* best_time = nullptr;
    for (auto const& candidate : spmv_candidates(estimated, Effort::exhaustive, arch)) {
      auto const* const time = record.find(candidate_name(candidate));
      if (time && (!best_time || total(*time) < total(*best_time))) best = candidate, best_time = time;
    }
    return best;
  };
  auto const candidates = spmv_candidates(estimated, options.effort, arch);
  auto const* const known = options.wisdom ? options.wisdom->find(machine, matrix_class) : nullptr;
  auto const is_known = [&](SpmvCandidate const& candidate) { return known->knows(candidate_name(candidate)); };
  if (known && std::all_of(candidates.begin(), candidates.end(), is_known)) return fastest(*known);
  TimeLimit const limit(options.max_seconds, clock);
  WisdomRecord record{machine, matrix_class, {}, {}};
  CandidateSeconds first;
  for (auto const& candidate : candidates) {
    std::string const name = candidate_name(candidate);
    bool const is_first = record.times.empty();
    auto const* const old = known ? known->find(name) : nullptr;
    if (!is_first && !old && !limit.allows(expected_measuring_seconds(first.setup, first.spmv))) continue;
    try {
      auto const seconds = old ? CandidateSeconds{old->seconds, old->setup_seconds} : measure(candidate);
      if (is_first) first = seconds;
      record.times.push_back({name, seconds.spmv, seconds.setup});
    } catch (OutOfMemory const&) {
      if (is_first) throw;  // nothing to compare with
    }
  }
  auto const best = fastest(record);
  if (options.wisdom) options.wisdom->insert(std::move(record));
  return best;
}

}  // namespace einkorn::detail
