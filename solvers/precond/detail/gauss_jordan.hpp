// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/scalar.hpp>
#include <einkorn/solvers/precond/detail/scratch_block.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// floor(log2) of the largest entry of a row or column; 0 if all are zero, which sets is_bad.
template <class Sum>
KOKKOS_FUNCTION int largest_exponent(ScratchBlock<Sum> const& m, int line, bool is_row) {
  double largest = 0;
  for (int i = 0; i < m.n; ++i) largest = Kokkos::fmax(largest, magnitude(is_row ? m(line, i) : m(i, line)));
  if (largest == 0) {
    m.is_bad[line] = 1;
    return 0;
  }
  return static_cast<int>(Kokkos::logb(largest));
}

/// m(i, j) <- m(i, j) 2^-(row_scale(i) + column_scale(j)), so that the largest entry of every row and column
/// lies in [1/2, 4): the pivot threshold is then independent of the units of the unknowns. Exact except for
/// underflow. A zero row or column sets is_bad. One lane per row, then per column; called by all lanes of the
/// team. The diagonal of a Hermitian positive definite block becomes about 1, since |a_ij|^2 <= a_ii a_jj.
/// Source: Ruiz, RAL-TR-2001-034: divides by the square roots of both maxima until they are near 1, here by
/// powers of two. The exponents halve in each round: 11 rounds suffice for all numbers of double.
template <class Member, class Sum>
KOKKOS_FUNCTION void equilibrate(Member const& team, ScratchBlock<Sum> const& m) {
  int const lane = team.team_rank(), lanes = team.team_size(), n = m.n;
  for (int i = lane; i < n; i += lanes) m.row_scale[i] = m.column_scale[i] = 0;
  for (int round = 0; round < 12; ++round) {
    for (int i = lane; i < n; i += lanes) {
      m.row_step[i] = largest_exponent(m, i, true) / 2;
      m.column_step[i] = largest_exponent(m, i, false) / 2;
    }
    team.team_barrier();
    bool is_done = true;
    for (int i = 0; i < n; ++i) is_done = is_done && m.row_step[i] == 0 && m.column_step[i] == 0;
    if (is_done) return;
    for (int j = lane; j < n; j += lanes) {
      m.row_scale[j] += m.row_step[j];
      m.column_scale[j] += m.column_step[j];
      for (int i = 0; i < n; ++i)
        m(i, j) = m(i, j) * Kokkos::exp2(Kokkos::fmin(-double(m.row_step[i] + m.column_step[j]), 1023.0));
    }
    team.team_barrier();
  }
}

/// |m|_inf, up to the factor of magnitude(). The same in every lane; called by all lanes of the team.
template <class Member, class Sum>
KOKKOS_FUNCTION double largest_row_sum(Member const& team, ScratchBlock<Sum> const& m) {
  for (int i = team.team_rank(); i < m.n; i += team.team_size()) {
    double sum = 0;
    for (int j = 0; j < m.n; ++j) sum += magnitude(m(i, j));
    m.row_sum[i] = sum;
  }
  team.team_barrier();
  double largest = 0;
  for (int i = 0; i < m.n; ++i) largest = Kokkos::fmax(largest, m.row_sum[i]);
  team.team_barrier();
  return largest;
}

/// Step k of Gauss-Jordan with the pivot in row p: one lane per column.
template <class Member, class Sum>
KOKKOS_FUNCTION void eliminate(Member const& team, ScratchBlock<Sum> const& m, int k, int p) {
  int const lane = team.team_rank(), lanes = team.team_size(), n = m.n;
  for (int j = lane; j < n; j += lanes) {
    Sum const swapped = m(k, j);
    m(k, j) = m(p, j);
    m(p, j) = swapped;
  }
  if (lane == 0) {
    int const swapped = m.origin[k];
    m.origin[k] = m.origin[p];
    m.origin[p] = swapped;
    m.pivot[k] = p;
  }
  team.team_barrier();
  Sum const inverse_pivot = Sum(1) / m(k, k);
  for (int j = lane; j < n; j += lanes) {
    if (j == k) continue;
    Sum const factor = m(k, j) * inverse_pivot;
    for (int i = 0; i < n; ++i) m(i, j) = i == k ? factor : m(i, j) - m(i, k) * factor;
  }
  team.team_barrier();
  for (int i = lane; i < n; i += lanes) m(i, k) = i == k ? inverse_pivot : -(m(i, k) * inverse_pivot);
  team.team_barrier();
}

/// m <- m^-1 in place by Gauss-Jordan with partial pivoting; called by all lanes of the team. Returns -1, or
/// the row of the smallest pivot if m is singular to working precision: no pivot above n epsilon |m|_inf was
/// left (m is then undefined), or |m|_inf |m^-1|_inf exceeds 1 / (n epsilon). Cost: n^3 multiplications and
/// additions.
template <class Member, class Sum>
KOKKOS_FUNCTION int invert_in_place(Member const& team, ScratchBlock<Sum> const& m) {
  int const lane = team.team_rank(), lanes = team.team_size(), n = m.n;
  for (int i = lane; i < n; i += lanes) m.origin[i] = i;
  double const norm = largest_row_sum(team, m), epsilon = n * Kokkos::Experimental::epsilon_v<double>;
  double smallest = norm;
  int row_of_smallest = 0;
  for (int k = 0; k < n; ++k) {
    int p = k;  // the same in every lane
    double largest = -1;
    for (int i = k; i < n; ++i)
      if (magnitude(m(i, k)) > largest) {
        largest = magnitude(m(i, k));
        p = i;
      }
    if (largest <= smallest) {
      smallest = largest;
      row_of_smallest = m.origin[p];
    }
    if (!(smallest > epsilon * norm)) return row_of_smallest;
    team.team_barrier();
    eliminate(team, m, k, p);
  }
  for (int i = lane; i < n; i += lanes)
    for (int k = n - 1; k >= 0; --k) {
      Sum const swapped = m(i, k);
      m(i, k) = m(i, m.pivot[k]);
      m(i, m.pivot[k]) = swapped;
    }
  team.team_barrier();
  return epsilon * norm * largest_row_sum(team, m) < 1 ? -1 : row_of_smallest;
}

}  // namespace einkorn::detail
