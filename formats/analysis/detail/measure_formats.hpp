// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/detail/measuring.hpp>
#include <einkorn/formats/analysis/effort.hpp>
#include <einkorn/formats/analysis/planning_options.hpp>
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/analysis/structure_class.hpp>
#include <einkorn/formats/analysis/wisdom.hpp>
#include <einkorn/formats/format_list.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace einkorn::detail {

inline constexpr char const* refused_before = "refused a matrix of this class (from wisdom)";

/// The expected cost of a conversion without a model: that of COO on a host, in SpMVs of CSR.
inline constexpr double unknown_conversion_spmvs = 20;

/// Measures one format. Throws Error if it is refused.
using MeasureFormat = std::function<CandidateSeconds(FormatName)>;

/// The candidate with measured times. conversion_spmvs is relative to csr_seconds.
inline Estimate with_times(Estimate candidate, CandidateSeconds const& seconds, double csr_seconds) {
  candidate.seconds = seconds.spmv;
  candidate.conversion_spmvs = candidate.format == FormatName::csr ? 0 : seconds.setup / csr_seconds;
  return candidate;
}

/// The candidates of the model with the times of a record, and those that the model or the record refuses.
template <class Formats>
std::vector<Estimate> recorded_candidates(std::vector<Estimate> candidates, WisdomRecord const& record,
                                          double csr_seconds) {
  std::vector<Estimate> result;
  for (auto& candidate : candidates) {
    std::string const name = Formats::name_of(candidate.format);
    auto const* const time = record.find(name);
    if (!candidate.refused && !record.knows(name)) continue;
    if (!candidate.refused && time == nullptr) candidate.what = refused_before;
    if (!candidate.refused && time != nullptr)
      candidate = with_times(candidate, {time->seconds, time->setup_seconds}, csr_seconds);
    else
      candidate.refused = true;
    result.push_back(std::move(candidate));
  }
  return result;
}

/// The formats without a model. is_refused: A has no entries.
template <class Formats>
std::vector<Estimate> formats_without_model(bool is_refused) {
  std::vector<Estimate> result;
  Formats::for_each([&]<template <class, class, class, class> class Format>(FormatTag<Format>) {
    if constexpr (!HasEstimate<FormatTraits<Format>>)
      result.push_back({FormatTraits<Format>::format, 0, 0, 0, "no model", is_refused});
  });
  return result;
}

/// The candidates in the order of measuring: CSR, then by the estimated time of the conversion and `uses`
/// SpMVs, without those beyond the margin unless the effort is exhaustive.
inline std::vector<Estimate> candidates_to_measure(std::vector<Estimate> const& estimated,
                                                   PlanningOptions const& options) {
  auto const csr = *std::find_if(estimated.begin(), estimated.end(),
                                 [](Estimate const& e) { return e.format == FormatName::csr; });
  auto const total = [&](Estimate const& e) {
    return e.conversion_spmvs * csr.seconds / options.uses + e.seconds;
  };
  double fastest = total(csr);
  for (auto const& e : estimated)
    if (!e.refused) fastest = std::min(fastest, total(e));
  std::vector<Estimate> result;
  for (auto const& e : estimated)
    if (!e.refused && e.format != FormatName::csr &&
        (options.effort == Effort::exhaustive || total(e) <= options.margin * fastest))
      result.push_back(e);
  std::stable_sort(result.begin(), result.end(),
                   [&](Estimate const& a, Estimate const& b) { return total(a) < total(b); });
  result.insert(result.begin(), csr);
  return result;
}

/// The choice by measured times, from wisdom if it has them.
///
/// A candidate that does not fit into the time limit keeps its estimate, scaled by the ratio of the measured
/// and the estimated time of CSR; without an estimate it is refused. Candidates that the wisdom knows are not
/// measured again; if it knows all, every format that it knows is compared.
/// @param estimated     select()
/// @param matrix_class  key of the wisdom
template <class Formats = BuiltInFormats>
Selection measure_formats(Selection const& estimated, PlanningOptions const& options,
                          std::string const& machine, std::string const& matrix_class,
                          MeasureFormat const& measure, Clock const& clock = steady_seconds) {
  auto const finish = [&](std::vector<Estimate> const& candidates, char const* how) {
    auto result = choose<Formats>(candidates, options.uses, how);
    result.structure = estimated.structure;
    return result;
  };
  auto candidates = candidates_to_measure(estimated.candidates, options);
  auto const without_model = formats_without_model<Formats>(estimated.structure.nnz == 0);
  if (options.effort == Effort::exhaustive)
    candidates.insert(candidates.end(), without_model.begin(), without_model.end());
  auto const* const known = options.wisdom ? options.wisdom->find(machine, matrix_class) : nullptr;
  auto const is_known = [&](Estimate const& e) {
    return e.refused || known->knows(Formats::name_of(e.format));
  };
  auto const* const csr = known ? known->find(Formats::name_of(FormatName::csr)) : nullptr;
  if (csr && std::all_of(candidates.begin(), candidates.end(), is_known)) {
    auto all = estimated.candidates;
    all.insert(all.end(), without_model.begin(), without_model.end());
    return finish(recorded_candidates<Formats>(std::move(all), *known, csr->seconds), "from wisdom");
  }
  TimeLimit const limit(options.max_seconds, clock);
  WisdomRecord record{machine, matrix_class, {}, {}};
  double csr_seconds = 0, scale = 0;  // scale: measured over estimated time of CSR
  std::size_t omitted = 0;
  for (auto& candidate : candidates) {
    if (candidate.refused) continue;
    std::string const name = Formats::name_of(candidate.format);
    bool const is_csr = candidate.format == FormatName::csr, has_model = candidate.seconds > 0;
    double const setup = (has_model ? candidate.conversion_spmvs : unknown_conversion_spmvs) * csr_seconds;
    double const spmv = has_model ? candidate.seconds * scale : csr_seconds;
    auto const* const old = known ? known->find(name) : nullptr;
    bool const was_refused = known && old == nullptr && known->knows(name);
    if (was_refused) {
      candidate.refused = true;
      candidate.what = refused_before;
    } else if (!is_csr && !old && !limit.allows(expected_measuring_seconds(setup, spmv))) {
      ++omitted;
      candidate.refused = !has_model;
      candidate.seconds = spmv;
      candidate.what += "; not measured within the time limit";
    } else {
      try {
        auto const seconds =
            old ? CandidateSeconds{old->seconds, old->setup_seconds} : measure(candidate.format);
        if (is_csr) csr_seconds = seconds.spmv, scale = seconds.spmv / candidate.seconds;
        candidate = with_times(candidate, seconds, csr_seconds);
        record.times.push_back({name, seconds.spmv, is_csr ? 0 : seconds.setup});
      } catch (Error const& refusal) {
        if (is_csr) throw;  // no reference to compare with
        bool const is_permanent = dynamic_cast<OutOfMemory const*>(&refusal) == nullptr;
        if (is_permanent) record.refused.push_back(name);
        candidate.refused = true;
        candidate.what = refusal.what();
      }
    }
  }
  if (options.wisdom) options.wisdom->insert(record);
  auto result = finish(candidates, "measured");
  if (omitted > 0)
    result.reason += formatted("; %zu of %zu formats were not measured within %.3g s", omitted,
                               candidates.size(), options.max_seconds);
  return result;
}

}  // namespace einkorn::detail
