// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The kernels of SpGEMM with groups of 1 to 32 lanes and whole teams, stepped through on the host.
#pragma once

#include "../support/battery.hpp"
#include "../support/lockstep.hpp"
#include "spgemm_oracle.hpp"

#include <einkorn/core/lanes/equal_lanes.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

/// As the match instruction of a warp: 2 barriers, where shuffles would need 62.
template <>
struct EqualLanes<test::LockstepWarp> {
  static int before(int number, int rank, int lanes) {
    auto const* const warp = test::LockstepTeam::current->first_of_warp;
    std::memcpy(test::LockstepTeam::current->sent, &number, sizeof(number));
    test::LockstepWarp::sync();
    int const lane = rank % test::LockstepWarp::size;
    int count = 0;
    for (int other = lane / lanes * lanes; other < lane; ++other)
      count += std::memcmp(warp[other].sent, &number, sizeof(number)) == 0 ? 1 : 0;
    test::LockstepWarp::sync();
    return count;
  }
  static test::LockstepWarp::Mask mask(int number, int) {
    auto const* const warp = test::LockstepTeam::current->first_of_warp;
    std::memcpy(test::LockstepTeam::current->sent, &number, sizeof(number));
    test::LockstepWarp::sync();
    test::LockstepWarp::Mask result = 0;
    for (int other = 0; other < test::LockstepWarp::size; ++other)
      if (std::memcmp(warp[other].sent, &number, sizeof(number)) == 0)
        result |= test::LockstepWarp::Mask(1) << other;
    test::LockstepWarp::sync();
    return result;
  }
};

}  // namespace einkorn

namespace einkorn::test {

using HostExec = Kokkos::DefaultHostExecutionSpace;
using HostDevice = HostExec::device_type;

/// The rows of C = A B by kernels with an explicit launch geometry.
template <class O>
class Product {
 public:
  using Host = HostMatrix<double, O, O>;
  using Matrix = Csr<double, O, O, HostDevice>;
  using CompressedB = detail::CompressedRows<O, O, HostDevice>;
  using Args = detail::SymbolicArgs<Matrix, CompressedB, std::int64_t>;

  Product(Host const& A, Host const& B)
      : host_A_(A), host_B_(B), A_(A.template on_device<HostDevice>()), B_(B.template on_device<HostDevice>()) {
    args_.A = A_;
    args_.B = detail::compress_rows(HostExec(), B_, std::numeric_limits<std::size_t>::max());
    args_.offsets = decltype(args_.offsets)("offsets", A.rows() + 1);
    args_.compressed_counts = decltype(args_.compressed_counts)("words_of_C", A.rows());
  }
  [[nodiscard]] bool is_compressed() const { return args_.B.compressed; }

  /// Columns by hash tables of groups (lanes > 0) or of a team. Returns the number of rows that overflowed.
  /// rank_words: -1 for as many as all keys need, 0 for keys that are compared.
  int find_columns(int slots, int lanes, int segment_lanes, int rank_words = 0) {
    RowBatch batch;
    batch.kind = lanes > 0 ? detail::group_table : detail::team_table;
    batch.slots = slots;
    batch.rank_words = rank_words < 0 ? static_cast<int>((num_keys() + 31) / 32) : rank_words;
    batch.lanes = lanes;
    batch.segment_lanes = segment_lanes;
    return find_columns(batch, true);
  }
  void find_columns_by_bitmap(int words, int segment_lanes, bool sorted_B) {
    RowBatch batch;
    batch.kind = detail::team_bitmap;
    batch.slots = words;
    batch.segment_lanes = segment_lanes;
    find_columns(batch, sorted_B);
  }
  /// As on a GPU: columns by the accumulators of bins, values by the schedule. Rows first_of_bin[b] and further are
  /// in bin b.
  template <class Offsets>
  int find_columns_of_bins(Offsets const& first_of_bin, int segment_lanes) {
    detail::SymbolicConfig config;
    config.num_keys = num_keys();
    config.segment_lanes = segment_lanes;
    return find([&](bool counting) {
      args_.counting = counting;
      detail::launch_symbolic(Lockstep(), args_, config, first_of_bin);
    });
  }
  int find_columns_of_bin(int bin, int segment_lanes) {
    std::array<std::size_t, SpgemmTuning::num_symbolic_bins + 1> offsets{};
    for (std::size_t b = static_cast<std::size_t>(bin) + 1; b < offsets.size(); ++b)
      offsets[b] = host_A_.rows();
    return find_columns_of_bins(offsets, segment_lanes);
  }
  void find_scheduled_values(int segment_lanes, bool chunks_by_team, bool concatenates = false) {
    make_C();
    detail::RowLengths<decltype(args_.offsets)> const lengths{args_.offsets};
    detail::RowLengths<decltype(A_.row_offsets)> const lengths_of_A{A_.row_offsets};
    SpgemmTuning const tuning;
    SpgemmOptions options;
    if (!chunks_by_team) options.rows = SpgemmRows::unsorted;
    auto const chunks = detail::plan_chunks(tuning, options, sizeof(double));
    detail::CountTotals<HostExec> totals;
    auto const counts = detail::count_pattern(HostExec(), host_A_.rows(), lengths, args_.compressed_counts,
                                              lengths_of_A, chunks, totals);
    auto schedule = detail::make_numeric_schedule(HostExec(), host_A_.rows(), args_.offsets,
                                                  args_.compressed_counts, lengths_of_A, counts, chunks);
    schedule.concatenates = concatenates;
    detail::compute_values_by_hash<true>(Lockstep(), A_, B_, C_, schedule, segment_lanes, true);
  }
  /// All rows in chunks of `sums` entries. ordered, lanes == 0: by teams, with `slots` words of ranks.
  template <bool ordered>
  void find_values(int sums, int slots, int lanes, int segment_lanes, bool sorted_rows = true) {
    make_C();
    using Functor = detail::NumericHashKernel<Lockstep, Matrix, Matrix, CMatrix, ordered>;
    std::vector<std::uint32_t> offsets{0};
    for (std::size_t i = 0; i < host_A_.rows(); ++i) {
      auto const length = static_cast<std::uint32_t>(args_.offsets(i + 1) - args_.offsets(i));
      offsets.push_back(offsets.back() +
                        (length + static_cast<std::uint32_t>(sums) - 1) / static_cast<std::uint32_t>(sums));
    }
    RowBatch batch;
    batch.kind = ordered && lanes == 0 ? Functor::team_chunks : Functor::row_chunks;
    batch.sums = sums;
    batch.slots = slots;
    batch.lanes = ordered ? lanes : 0;
    batch.segment_lanes = segment_lanes;
    batch.num_items = offsets.back();
    launch(Functor{A_, B_, C_, {}, to_device<HostDevice>(offsets), {}, sorted_rows}, batch);
  }
  /// By the scatter map, in batches of `rows` rows.
  template <int rows, bool is_swizzled = false>
  void find_values_by_scatter_map(int lanes, bool one_lane = false) {
    make_C();
    std::size_t workspace = 0;
    auto const most = std::numeric_limits<std::size_t>::max();
    auto const classes = detail::find_row_classes_of_C(HostExec(), A_, B_, most, workspace);
    ASSERT_TRUE(classes.found());
    auto const map = detail::make_scatter_map<double>(HostExec(), classes, B_, args_.offsets, args_.columns,
                                                      SpgemmRows::sorted, is_swizzled ? lanes : 1, most);
    ASSERT_TRUE(map.is_available());
    ASSERT_EQ(map.is_swizzled, is_swizzled);
    using Functor = detail::NumericScatterKernel<Lockstep, Matrix, Matrix, CMatrix,
                                                 std::remove_const_t<decltype(map)>, rows, is_swizzled>;
    Functor const functor{A_, B_, C_, map, map.max_row_length, one_lane, lanes};
    int const groups = 64 / lanes, rows_per_team = groups * rows;
    auto const bytes = Functor::bytes(map.max_row_length) * static_cast<std::size_t>(groups) + 16;
    run_in_lockstep(functor, (static_cast<int>(host_A_.num_rows) + rows_per_team - 1) / rows_per_team, 64,
                    bytes);
  }
  /// The representatives of the rows of B.
  [[nodiscard]] std::vector<O> classes_of_B(int lanes) {
    using Rows = detail::RowsByColumns<Matrix>;
    using Storage = Kokkos::View<std::uint64_t*, HostDevice>;
    using Table = detail::RowClassTable<HostDevice>;
    Rows const rows{B_, Kokkos::View<detail::RowClass<O>*, HostDevice>("classes", host_B_.rows())};
    Storage const hashes("hashes", host_B_.rows());
    Table const table{Storage("table", 2 * 256 + 1), 256, host_B_.rows()};
    for_each_by_lanes(Lockstep(), "hash", host_B_.rows(), lanes,
                      detail::HashRow<Rows, Storage>{rows, hashes, 0});
    detail::InsertRow<Lanes<HostExec>, Table, Storage> const enter{table, hashes, 128};
    for (std::size_t i = 0; i < host_B_.rows(); ++i) enter(i);
    for_each_by_lanes(Lockstep(), "row classes", host_B_.rows(), lanes,
                      detail::AssignRowClass<Rows, Table, Storage>{rows, table, hashes});
    std::vector<O> classes;
    for (std::size_t i = 0; i < host_B_.rows(); ++i) classes.push_back(rows.classes(i).representative);
    return classes;
  }
  [[nodiscard]] testing::AssertionResult is_right() const {
    return is_product(to_host(C_), host_A_, host_B_, true);
  }
  /// Whether each entry of C has the bits of its sum in the order of A's entries. @pre products are exact
  [[nodiscard]] testing::AssertionResult is_summed_in_order() const {
    auto const C = to_host(C_);
    for (std::size_t i = 0; i < host_A_.rows(); ++i) {
      std::map<O, double> sums;
      for (auto k = host_A_.offsets[i]; k < host_A_.offsets[i + 1]; ++k) {
        auto const j = static_cast<std::size_t>(host_A_.columns[static_cast<std::size_t>(k)]);
        for (auto l = host_B_.offsets[j]; l < host_B_.offsets[j + 1]; ++l)
          sums[host_B_.columns[static_cast<std::size_t>(l)]] +=
              host_A_.values[static_cast<std::size_t>(k)] * host_B_.values[static_cast<std::size_t>(l)];
      }
      for (auto p = static_cast<std::size_t>(C.offsets[i]); p < static_cast<std::size_t>(C.offsets[i + 1]); ++p)
        if (C.values[p] != sums[C.columns[p]])
          return testing::AssertionFailure() << "C(" << i << ", " << C.columns[p] << ") is "
                                             << C.values[p] - sums[C.columns[p]] << " above the sum in order";
    }
    return testing::AssertionSuccess();
  }

 private:
  using CMatrix = Csr<double, O, std::int64_t, HostDevice>;

  void make_C() {
    C_ = {host_A_.num_rows, host_B_.num_cols, args_.offsets, args_.columns, {}};
    C_.values = decltype(C_.values)("values", args_.columns.extent(0));
    Kokkos::deep_copy(C_.values, std::numeric_limits<double>::quiet_NaN());
  }
  [[nodiscard]] std::uint64_t num_keys() const {
    return static_cast<std::uint64_t>(num_keys_for(host_B_.num_cols));
  }
  /// One batch of all rows.
  int find_columns(RowBatch batch, bool sorted_B) {
    batch.num_items = static_cast<std::int64_t>(host_A_.rows());
    return find([&](bool counting) {
      args_.counting = counting;
      launch(detail::SymbolicKernel<Lockstep, Args>{args_, {}, num_keys(), sorted_B}, batch);
    });
  }
  /// One batch, by teams of 64 threads.
  template <class Functor>
  void launch(Functor functor, RowBatch batch) {
    constexpr int team_size = 64;
    batch.groups = batch.lanes > 0 ? team_size / batch.lanes : 1;
    functor.batches.add(batch);
    auto const teams = static_cast<int>((batch.num_items + batch.groups - 1) / batch.groups);
    run_in_lockstep(functor, teams, team_size,
                    functor.bytes_of(batch) * static_cast<std::size_t>(batch.groups) + 16);
  }
  template <class Run>
  int find(Run const& run) {
    run(true);
    int overflowed = 0;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < host_A_.rows(); ++i) {
      auto const count = args_.offsets(i);
      overflowed += count == detail::overflowed<std::int64_t> ? 1 : 0;
      args_.offsets(i) = sum;
      sum += count;
    }
    args_.offsets(host_A_.rows()) = sum;
    if (overflowed > 0) return overflowed;
    args_.columns = decltype(args_.columns)("columns", static_cast<std::size_t>(sum));
    Kokkos::deep_copy(args_.columns, O(-1));
    // Also in one pass: the counts while the columns are written must be those of the first pass.
    auto const first_pass = Kokkos::create_mirror(args_.compressed_counts);  // another array
    Kokkos::deep_copy(first_pass, args_.compressed_counts);
    args_.counts = decltype(args_.counts)("counts", host_A_.rows());
    run(false);
    for (std::size_t i = 0; i < host_A_.rows(); ++i) {
      EXPECT_EQ(args_.counts(i), args_.offsets(i + 1) - args_.offsets(i));
      EXPECT_EQ(args_.compressed_counts(i), first_pass(i));
    }
    args_.counts = {};
    return 0;
  }

  Host host_A_, host_B_;
  Matrix A_, B_;
  Args args_;
  CMatrix C_;
};

/// Rows of 0 to 13 entries and one of about 90, which is longer than the staging buffer and gives a row of C in
/// several chunks. near: adjacent columns, which compress well; else scattered columns.
inline Pattern mixed_rows(std::int64_t rows, std::int64_t cols, bool near) {
  Pattern pattern;
  pattern.num_rows = rows;
  pattern.num_cols = cols;
  for (std::int64_t i = 0; i < rows; ++i) {
    auto const drawn = [&](std::int64_t l) {
      return static_cast<std::int64_t>(noise(static_cast<std::uint64_t>(i * 100 + l), near ? 3 : 4) >> 1);
    };
    std::int64_t const length = i == 5 ? 120 : i % 7 == 3 ? 0 : drawn(99) % 14;
    std::set<std::int64_t> columns;
    for (std::int64_t l = 0; l < length; ++l)
      columns.insert(near ? (i * cols / rows + l) % cols : drawn(l) % cols);
    pattern.columns.insert(pattern.columns.end(), columns.begin(), columns.end());
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

template <class O = int>
Product<O> product(bool near) {
  return {with_numbers<double, O, O>(mixed_rows(37, 200, near), Numbers::integers, 1),
          with_numbers<double, O, O>(mixed_rows(200, near ? 300 : 40000, near), Numbers::integers, 2)};
}

struct Geometry {
  int lanes, segment_lanes;
};
inline std::vector<Geometry> geometries() {
  return {{1, 1}, {8, 2}, {16, 16}, {32, 8}};
}

}  // namespace einkorn::test
