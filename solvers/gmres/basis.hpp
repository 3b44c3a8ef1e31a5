// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/ceil_div.hpp>
#include <einkorn/core/epilogue_with_dots.hpp>
#include <einkorn/core/lanes/lanes.hpp>
#include <einkorn/core/launch.hpp>
#include <einkorn/solvers/gmres/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace einkorn::detail {

/// What a pass over the columns of a basis computes. dots: V^H w, w.w; update: w <- (w - V update) scale;
/// update_and_dots: the update of the first pass, then the dot products with the new w if a second pass
/// follows; combine: w <- w - V update for the update of x; replace: w <- -V update.
enum class BasisUse { dots, update_and_dots, update, combine, replace };

/// One kernel over the columns of a basis: an entry of w is read and written once, those of the columns once,
/// or twice from a cache if they are needed for the update and the dot products.
template <class Exec, class Scalar, class Z>
struct BasisPass {
  static constexpr int team_size = 256, entries_per_thread = 2, sums_per_batch = 8;
  static constexpr int parts_per_sum = is_complex<Scalar> ? 2 : 1;
  static constexpr std::size_t host_chunk = 512;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, 2>>;
  using L = Lanes<Exec>;

  Scalar const* basis;  // columns of `stride` entries
  Scalar* w;            // [size]
  std::size_t size, stride;
  GmresState const* state;
  Z const* coefficients;
  double* partials;        // [sum, block]
  std::size_t num_blocks;  // host: parts
  int num_columns;         // of dots and updates
  BasisUse use;

  struct Plan {
    int columns;
    bool active, updates, dots, from_zero;
    double scale;
  };
  [[nodiscard]] KOKKOS_FUNCTION Plan plan() const {
    auto const& s = *state;
    if (use == BasisUse::dots) return {num_columns, s.is_running(), false, true, false, 1};
    if (use == BasisUse::update_and_dots) return {num_columns, s.in_step, true, s.second_pass, false, s.scale};
    if (use == BasisUse::update) return {num_columns, s.in_step && s.second_pass, true, false, false, s.scale};
    return {s.update_columns, s.update_columns > 0, true, false, use == BasisUse::replace, 1};
  }
  static constexpr std::size_t scratch_bytes = sums_per_batch * (team_size / L::size) * sizeof(double);
  static constexpr std::size_t entries_per_team = static_cast<std::size_t>(team_size) * entries_per_thread;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    Plan const p = plan();
    if (!p.active) return;
    constexpr int warps = team_size / L::size;
    constexpr int columns_per_batch = sums_per_batch / parts_per_sum;
    std::size_t const bytes = scratch_bytes;
    auto* const scratch = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(double)));
    auto const first = static_cast<std::size_t>(team.league_rank()) * entries_per_team +
                       static_cast<std::size_t>(team.team_rank());
    Scalar mine[entries_per_thread];
    for (int q = 0; q < entries_per_thread; ++q) {
      auto const i = first + static_cast<std::size_t>(q) * team_size;
      mine[q] = i < size && !p.from_zero ? w[i] : Scalar(0);
    }
    if (p.updates) {
      for (int j = 0; j < p.columns; ++j) {
        auto const c = static_cast<Scalar>(coefficients[j]);
        Scalar const* const column = basis + static_cast<std::size_t>(j) * stride;
        for (int q = 0; q < entries_per_thread; ++q) {
          auto const i = first + static_cast<std::size_t>(q) * team_size;
          if (i < size) mine[q] -= c * column[i];
        }
      }
      for (int q = 0; q < entries_per_thread; ++q) {
        auto const i = first + static_cast<std::size_t>(q) * team_size;
        mine[q] = Scalar(Z(mine[q]) * p.scale);
        if (i < size) w[i] = mine[q];
      }
    }
    if (!p.dots) return;
    int const lane = team.team_rank() % L::size, warp = team.team_rank() / L::size;
    constexpr int width = lanes_of_sum<L, sums_per_batch>;
    for (int begin = 0; begin <= p.columns; begin += columns_per_batch) {
      double sums[sums_per_batch] = {};
      for (int b = 0; b < columns_per_batch; ++b) {
        int const j = begin + b;
        if (j > p.columns) break;
        for (int q = 0; q < entries_per_thread; ++q) {
          auto const i = first + static_cast<std::size_t>(q) * team_size;
          if (i >= size) continue;
          Scalar const v = j < p.columns ? basis[static_cast<std::size_t>(j) * stride + i] : mine[q];
          add_product(sums + b * parts_per_sum, v, mine[q]);
        }
      }
      double const sum = sums_over_lanes<L, sums_per_batch>(sums, lane);
      if (lane % width == 0) scratch[lane / width * warps + warp] = sum;
      team.team_barrier();
      int const at = begin * parts_per_sum + team.team_rank();
      if (team.team_rank() < sums_per_batch && at < (p.columns + 1) * parts_per_sum) {
        double total = 0;
        for (int v = 0; v < warps; ++v) total += scratch[team.team_rank() * warps + v];
        partials[static_cast<std::size_t>(at) * num_blocks + static_cast<std::size_t>(team.league_rank())] =
            total;
      }
      team.team_barrier();
    }
  }

  /// Host: one part.
  void operator()(std::int64_t part) const {
    Plan const p = plan();
    if (!p.active) return;
    auto const block = static_cast<std::size_t>(part);
    if (p.dots)
      for (int at = 0; at < (p.columns + 1) * parts_per_sum; ++at)
        partials[static_cast<std::size_t>(at) * num_blocks + block] = 0;
    auto const end = first_of_part(block + 1);
    for (auto begin = first_of_part(block); begin < end; begin += host_chunk) {
      std::size_t const count = end - begin < host_chunk ? end - begin : host_chunk;
      if (p.updates) update_chunk(p, begin, count);
      if (!p.dots) continue;
      for (int j = 0; j <= p.columns; ++j) {
        double sums[2] = {};
        add_chunk(j < p.columns ? basis + static_cast<std::size_t>(j) * stride + begin : w + begin, w + begin,
                  count, sums);
        for (int part_of_sum = 0; part_of_sum < parts_per_sum; ++part_of_sum)
          partials[static_cast<std::size_t>(j * parts_per_sum + part_of_sum) * num_blocks + block] +=
              sums[part_of_sum];
      }
    }
  }

 private:
  void update_chunk(Plan const& p, std::size_t begin, std::size_t count) const {
    Scalar* const target = w + begin;
    if (p.from_zero)
      for (std::size_t i = 0; i < count; ++i) target[i] = Scalar(0);
    for (int j = 0; j < p.columns; ++j) {
      auto const c = static_cast<Scalar>(coefficients[j]);
      Scalar const* const column = basis + static_cast<std::size_t>(j) * stride + begin;
#ifdef _OPENMP
#pragma omp simd
#endif
      for (std::size_t i = 0; i < count; ++i) target[i] -= c * column[i];
    }
    if (p.scale == 1) return;
    for (std::size_t i = 0; i < count; ++i) target[i] = Scalar(Z(target[i]) * p.scale);
  }
  static void add_chunk(Scalar const* u, Scalar const* v, std::size_t count, double* to) {
    double sums[2] = {};
#ifdef _OPENMP
#pragma omp simd reduction(+ : sums[ : 2])
#endif
    for (std::size_t i = 0; i < count; ++i) add_product(sums, u[i], v[i]);
    to[0] = sums[0];
    to[1] = sums[1];
  }
  /// Parts begin at multiples of 8 entries, to avoid false sharing of cache lines.
  [[nodiscard]] std::size_t first_of_part(std::size_t part) const {
    auto const groups = ceil_div(size, 8);
    auto const first = 8 * (groups / num_blocks * part + groups % num_blocks * part / num_blocks);
    return first < size ? first : size;
  }
};

/// The totals of the partial sums of a BasisPass, then step() in one thread. GPU: one team per sum; the last
/// team calls step(). The same bits in every run with the same number of blocks.
template <class Exec, class Step>
struct BasisTotals {
  static constexpr int team_size = 256;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<team_size, 1>>;
  using L = Lanes<Exec>;
  static constexpr std::size_t scratch_bytes = (team_size / L::size + 1) * sizeof(double);

  double const* partials;
  double* totals;
  unsigned* arrived;  // 0 between launches
  std::size_t num_blocks;
  int num_sums;
  Step step;

  KOKKOS_FUNCTION void operator()(typename Policy::member_type const& team) const {
    std::size_t const bytes = scratch_bytes;
    auto* const scratch = static_cast<double*>(team.team_scratch(0).get_shmem_aligned(bytes, alignof(double)));
    auto const rank = static_cast<std::size_t>(team.league_rank());
    double sums[1] = {};
    for (auto block = static_cast<std::size_t>(team.team_rank()); block < num_blocks; block += team_size)
      sums[0] += partials[rank * num_blocks + block];
    sum_over_team<L, team_size>(team, sums, scratch);
    auto* const flag = reinterpret_cast<int*>(scratch + team_size / L::size);
    if (!is_last_team<L>(team, arrived, num_sums, flag, [&] { totals[rank] = sums[0]; })) return;
    if (team.team_rank() != 0) return;
    *arrived = 0;
    step();
  }
  void operator()(std::int64_t) const {  // host
    for (int j = 0; j < num_sums; ++j) {
      double sum = 0;
      for (std::size_t block = 0; block < num_blocks; ++block)
        sum += partials[static_cast<std::size_t>(j) * num_blocks + block];
      totals[j] = sum;
    }
    step();
  }
};

/// Blocks of partial sums of a BasisPass.
template <class Exec, class Scalar, class Z>
std::size_t basis_blocks(Exec const& exec, std::size_t size) {
  if constexpr (is_gpu<Exec>)
    return ceil_div(size, BasisPass<Exec, Scalar, Z>::entries_per_team);
  else
    return static_cast<std::size_t>(host_parts(exec));
}

/// 1 launch, asynchronous on exec.
template <class Exec, class Scalar, class Z>
void launch_basis_pass(Exec const& exec, char const* label, BasisPass<Exec, Scalar, Z> const& pass) {
  if (pass.num_blocks == 0) return;  // a rank without rows
  if constexpr (is_gpu<Exec>) {
    using Pass = BasisPass<Exec, Scalar, Z>;
    typename Pass::Policy policy(exec, static_cast<int>(pass.num_blocks), Pass::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Pass::scratch_bytes + alignof(double))));
    Kokkos::parallel_for(label, light_weight(policy), pass);
  } else {
    for_each_part(exec, label, static_cast<std::int64_t>(pass.num_blocks), pass);
  }
}
template <class Exec, class Step>
void launch_basis_totals(Exec const& exec, char const* label, BasisTotals<Exec, Step> const& kernel) {
  if constexpr (is_gpu<Exec>) {
    using Kernel = BasisTotals<Exec, Step>;
    typename Kernel::Policy policy(exec, kernel.num_sums, Kernel::team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Kernel::scratch_bytes + alignof(double))));
    Kokkos::parallel_for(label, light_weight(policy), kernel);
  } else {
    for_each_part(exec, label, std::int64_t(1), kernel);
  }
}

}  // namespace einkorn::detail
