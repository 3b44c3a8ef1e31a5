// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// The kernels of SpGEMM with groups of 1 to 32 lanes and whole teams, stepped through on the host.

#include "../support/battery.hpp"
#include "../support/lockstep.hpp"
#include "spgemm_oracle.hpp"

#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

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
    args_.num_items = static_cast<std::int64_t>(A.rows());
  }
  [[nodiscard]] bool is_compressed() const { return args_.B.compressed; }

  /// Columns by hash tables of groups (lanes > 0) or of a team. Returns the number of rows that overflowed.
  int find_columns(int slots, int lanes, int segment_lanes) {
    auto const run = [&](bool counting) {
      args_.counting = counting;
      if (lanes > 0) {
        using Functor = detail::SymbolicHashKernel<Lockstep, Args, false>;
        launch(Functor{args_, slots, lanes, segment_lanes}, 64 / lanes, 64, Functor::bytes(slots, counting));
      } else {
        using Functor = detail::SymbolicHashKernel<Lockstep, Args, true>;
        launch(Functor{args_, slots, 0, segment_lanes}, 1, 64, Functor::bytes(slots, counting));
      }
    };
    return find(run);
  }
  void find_columns_by_bitmap(int words, int segment_lanes, bool sorted_B) {
    auto const all = static_cast<O>(num_keys_for(host_B_.num_cols));
    find([&](bool counting) {
      args_.counting = counting;
      using Functor = detail::SymbolicBitmapKernel<Lockstep, Args>;
      launch(Functor{args_, words, 0, segment_lanes, all, sorted_B}, 1, 64, Functor::bytes(words, counting));
    });
  }
  /// As on a GPU: columns of all rows by the accumulator of a bin, values by the schedule.
  int find_columns_of_bin(int bin, int segment_lanes) {
    detail::SymbolicConfig config;
    config.num_keys = static_cast<std::uint64_t>(num_keys_for(host_B_.num_cols));
    config.segment_lanes = segment_lanes;
    return find([&](bool counting) {
      args_.counting = counting;
      detail::launch_symbolic_bin(Lockstep(), args_, config, bin);
    });
  }
  void find_scheduled_values(int segment_lanes) {
    make_C();
    detail::RowLengths<decltype(args_.offsets)> const lengths{args_.offsets};
    auto const counts = detail::count_pattern(HostExec(), host_A_.rows(), lengths, args_.compressed_counts);
    auto const schedule = detail::make_numeric_schedule(HostExec(), host_A_.rows(), args_.offsets,
                                                        args_.compressed_counts, counts);
    detail::compute_values_by_hash<true>(Lockstep(), A_, B_, C_, schedule, segment_lanes, true);
  }
  /// All rows in chunks of `sums` entries.
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
    Functor functor{A_,
                    B_,
                    C_,
                    {},
                    to_device<HostDevice>(offsets),
                    offsets.back(),
                    sums,
                    slots,
                    lanes,
                    segment_lanes,
                    sorted_rows};
    launch(functor, ordered ? 64 / lanes : 1, 64, Functor::bytes(sums, slots));
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

 private:
  using CMatrix = Csr<double, O, std::int64_t, HostDevice>;

  void make_C() {
    C_ = {host_A_.num_rows, host_B_.num_cols, args_.offsets, args_.columns, {}};
    C_.values = decltype(C_.values)("values", args_.columns.extent(0));
    Kokkos::deep_copy(C_.values, std::numeric_limits<double>::quiet_NaN());
  }
  template <class Functor>
  void launch(Functor const& functor, int groups, int team_size, std::size_t bytes) {
    auto const teams = static_cast<int>((functor_items(functor) + groups - 1) / groups);
    run_in_lockstep(functor, teams, team_size, bytes * static_cast<std::size_t>(groups) + 16);
  }
  template <class Functor>
  static std::int64_t functor_items(Functor const& functor) {
    if constexpr (requires { functor.args; })
      return functor.args.num_items;
    else
      return functor.num_items;
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
    run(false);
    return 0;
  }

  Host host_A_, host_B_;
  Matrix A_, B_;
  Args args_;
  CMatrix C_;
};

/// Rows of 0 to 13 entries and one of about 90, which is longer than the staging buffer and gives a row of C in
/// several chunks. near: adjacent columns, which compress well; else scattered columns.
Pattern mixed_rows(std::int64_t rows, std::int64_t cols, bool near) {
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
std::vector<Geometry> geometries() {
  return {{1, 1}, {8, 2}, {16, 16}, {32, 8}};
}

TEST(SpgemmLockstep, FindsColumnsByGroupsOfLanes) {
  for (bool const near : {false, true})
    for (auto const [lanes, segment_lanes] : geometries()) {
      SCOPED_TRACE((near ? "near, " : "scattered, ") + std::to_string(lanes) + ", " +
                   std::to_string(segment_lanes));
      auto C = product(near);
      EXPECT_EQ(C.is_compressed(), near);

      ASSERT_EQ(C.find_columns(1024, lanes, segment_lanes), 0);

      C.find_values<true>(1024, 2048, 32, 8);
      EXPECT_TRUE(C.is_right());
    }
}

TEST(SpgemmLockstep, ReportsRowsThatOverflowTheTable) {
  auto C = product(false);

  EXPECT_GT(C.find_columns(32, 8, 8), 5);
  EXPECT_LT(C.find_columns(32, 8, 8), 37);
}

TEST(SpgemmLockstep, FindsColumnsByTeams) {
  for (bool const near : {false, true})
    for (int const segment_lanes : {1, 16}) {
      SCOPED_TRACE(segment_lanes);
      auto C = product(near);

      ASSERT_EQ(C.find_columns(1024, 0, segment_lanes), 0);

      C.find_values<true>(1024, 2048, 32, 8);
      EXPECT_TRUE(C.is_right());
    }
}

TEST(SpgemmLockstep, FindsColumnsByBitmaps) {
  for (int const words : {64, 2048})  // the columns need 1250
    for (bool const sorted_B : {false, true}) {
      auto C = product(false);

      C.find_columns_by_bitmap(words, 8, sorted_B);

      C.find_values<true>(1024, 2048, 32, 8);
      EXPECT_TRUE(C.is_right());
    }
}

TEST(SpgemmLockstep, SumsWholeRowsAndChunks) {
  for (bool const near : {false, true}) {
    auto C = product(near);
    ASSERT_EQ(C.find_columns(1024, 32, 8), 0);
    for (auto const [lanes, segment_lanes] : geometries())
      for (auto const& [sums, slots] : {std::pair(1024, 2048), std::pair(16, 32)})
        for (bool const sorted_rows : {false, true}) {
          SCOPED_TRACE(std::to_string(lanes) + ", " + std::to_string(segment_lanes) + ", " +
                       std::to_string(sums));

          C.find_values<true>(sums, slots, lanes, segment_lanes, sorted_rows);

          EXPECT_TRUE(C.is_right());
        }
    C.find_values<false>(16, 32, 0, 8);
    EXPECT_TRUE(C.is_right());
    C.find_values<false>(1024, 2048, 0, 32);
    EXPECT_TRUE(C.is_right());
  }
}

TEST(SpgemmLockstep, LaunchesOfAGpu) {
  for (bool const near : {false, true})
    for (int const segment_lanes : {2, 16}) {
      SCOPED_TRACE(segment_lanes);
      auto C = product(near);
      for (int const bin : {SpgemmTuning::group_bins, SpgemmTuning::bitmap_bin})
        ASSERT_EQ(C.find_columns_of_bin(bin, segment_lanes), 0);
      if (near) {
        ASSERT_EQ(C.find_columns_of_bin(1, segment_lanes), 0);  // up to 11 compressed columns
      }

      C.find_scheduled_values(segment_lanes);

      EXPECT_TRUE(C.is_right());
    }
}

TEST(SpgemmLockstep, WideIndices) {
  auto C = product<std::int64_t>(true);
  ASSERT_EQ(C.find_columns(1024, 8, 8), 0);

  C.find_values<true>(64, 128, 16, 8);

  EXPECT_TRUE(C.is_right());
}

/// One lane per segment: two lanes would update the same sum.
TEST(SpgemmLockstep, RepeatedColumns) {
  auto B = mixed_rows(200, 300, true);
  for (std::size_t k = 1; k < B.columns.size(); k += 3) B.columns[k] = B.columns[k - 1];
  Product<int> C(with_numbers<double>(mixed_rows(37, 200, false), Numbers::integers, 1),
                 with_numbers<double>(B, Numbers::integers, 2));
  ASSERT_EQ(C.find_columns(1024, 32, 8), 0);
  for (int const lanes : {1, 32})
    for (int const sums : {16, 1024}) {
      C.find_values<true>(sums, 2 * sums, lanes, 1, false);

      EXPECT_TRUE(C.is_right());
    }
}

/// Rows of `width` adjacent columns, every seventh with two fewer: short sequences of rows of one class.
Pattern stairs(std::int64_t rows, std::int64_t width) {
  Pattern pattern;
  pattern.num_rows = pattern.num_cols = rows;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t l = i % 7 == 3 ? 2 : 0; l < width; ++l)
      if (i + l < rows) pattern.columns.push_back(i + l);
    pattern.offsets.push_back(static_cast<std::int64_t>(pattern.columns.size()));
  }
  return pattern;
}

TEST(SpgemmLockstep, ScatterMap) {
  // 40: more segments than are staged, and longer than a warp
  for (auto const& [width, rows] : {std::pair<std::int64_t, std::int64_t>(3, 203), {9, 203}, {40, 430}}) {
    SCOPED_TRACE(width);
    auto const A = with_numbers<double>(stairs(rows, width), Numbers::integers, 1),
               B = with_numbers<double>(stairs(rows, width), Numbers::integers, 2);
    Product<int> C(A, B);
    ASSERT_EQ(C.find_columns(1024, 32, 8), 0);
    for (int const lanes : {1, 8, 32}) {
      if (width == 40 && lanes == 1) continue;
      SCOPED_TRACE(lanes);
      C.find_values_by_scatter_map<4>(lanes);
      EXPECT_TRUE(C.is_right());
      C.find_values_by_scatter_map<2>(lanes, true);
      EXPECT_TRUE(C.is_right());
      C.find_values_by_scatter_map<1>(lanes);
      EXPECT_TRUE(C.is_right());
      if (lanes == 32) {
        C.find_values_by_scatter_map<4, true>(lanes);
        EXPECT_TRUE(C.is_right());
      }
    }
  }
}

TEST(SpgemmLockstep, FindsRowClasses) {
  auto const A = with_numbers<double>(stairs(70, 9), Numbers::integers, 1);
  Product<int> C(A, A);
  auto const classes = C.classes_of_B(1);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(classes[i], i % 7 == 3 ? 3 : 0);
  for (int const lanes : {4, 32}) EXPECT_EQ(C.classes_of_B(lanes), classes);
}

/// The emulation detects divergent lanes of a warp at a synchronization.
TEST(Lockstep, DetectsDivergence) {
  LockstepTeam team(64, 0);

  EXPECT_THROW(team.run([] {
    if (LockstepTeam::current->rank != 3) LockstepWarp::sync();
  }),
               std::logic_error);
  EXPECT_NO_THROW(team.run([] {
    if (LockstepTeam::current->rank >= 32) LockstepWarp::sync();  // a whole warp
  }));
}

}  // namespace
}  // namespace einkorn::test
