// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/csr/validate.hpp>
#include <einkorn/formats/spgemm/detail/host.hpp>
#include <einkorn/formats/spgemm/detail/launch_configuration.hpp>
#include <einkorn/formats/spgemm/detail/numeric_scatter_map.hpp>
#include <einkorn/formats/spgemm/detail/product_row_classes.hpp>
#include <einkorn/formats/spgemm/detail/state.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace einkorn::detail {

/// The phases of C = A B, each in one place for both algorithms; contract in csr/spgemm.hpp.
template <class Exec, class AMatrix, class BMatrix, class Scalar, class COffset>
struct SpgemmSteps {
  using Ordinal = typename AMatrix::ordinal_type;
  using Device = typename AMatrix::device_type;
  using Memory = typename Device::memory_space;
  using State = SpgemmState<Scalar, Ordinal, COffset, Device>;
  using CMatrix = typename State::Matrix;
  using Words = decltype(compress_rows(std::declval<Exec>(), std::declval<BMatrix>(), std::size_t()));
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Memory>::accessible && !is_gpu<Exec>;

  static State symbolic(Exec const& exec, AMatrix const& A, BMatrix const& B, SpgemmOptions const& options) {
    require_kokkos("spgemm");
    require_enumerator(options.algorithm, SpgemmAlgorithm::host_rows, "spgemm: algorithm");
    require_enumerator(options.rows, SpgemmRows::unsorted, "spgemm: rows");
    require_enumerator(options.sums, SpgemmSums::unordered, "spgemm: sums");
    require_enumerator(options.row_classes, SpgemmRowClasses::one_by_one, "spgemm: row_classes");
    require_enumerator(options.checks, Checks::off, "spgemm: checks");
    require<DimensionMismatch>(A.num_cols == B.num_rows, [&] {
      return "spgemm: A is " + size_of(A) + ", B is " + size_of(B) + ": A has " + std::to_string(A.num_cols) +
             " columns, B " + std::to_string(B.num_rows) + " rows";
    });
    require<InvalidArgument>(on_host || options.algorithm != SpgemmAlgorithm::host_rows,
                             "spgemm: host_rows is for matrices in host memory");
    State plan;
    plan.options = options;
    plan.left = checked_fingerprint(exec, A, options.checks);
    plan.right = is_same_structure(A, B) ? plan.left : checked_fingerprint(exec, B, options.checks);
    plan.num_rows = A.num_rows;
    plan.num_cols = B.num_cols;
    plan.by_teams = options.algorithm == SpgemmAlgorithm::row_teams ||
                    (options.algorithm == SpgemmAlgorithm::automatic && !on_host);
    auto const rows = static_cast<std::size_t>(A.num_rows);
    plan.row_offsets = allocate<Kokkos::View<COffset*, Device>>(exec, "einkorn::spgemm::row_offsets", rows + 1);
    if (A.nnz() == 0 || B.nnz() == 0) {
      Kokkos::deep_copy(exec, plan.row_offsets, COffset(0));
      return plan;
    }
    std::size_t const limit = options.workspace_limit;
    std::size_t const others = plan.by_teams ? 2 * rows * sizeof(Ordinal) : bytes_on_host(A, B);
    std::size_t const room = limit - std::min(limit, others);
    if (plan.by_teams && options.row_classes == SpgemmRowClasses::together) {
      auto kinds = row_classes_of_C(exec, A, B, room, plan.report.workspace);
      if (kinds.found()) {
        symbolic_by_kinds(exec, plan, A, B, std::move(kinds));
        return plan;
      }
    }
    auto const order = row_order(exec, B);
    plan.narrow = order.is_sorted && options.rows == SpgemmRows::sorted;
    auto words = compress_rows(exec, B, room);
    plan.report.words_of_B = words.compressed ? words.count() : 0;
    plan.report.workspace = std::max(plan.report.workspace, words.bytes());
    if (plan.by_teams)
      symbolic_by_teams(exec, plan, A, B, std::move(words), order);
    else
      symbolic_on_host(exec, plan, A, B, std::move(words));
    return plan;
  }

  static CMatrix product_of(Exec const& exec, State const& plan) {
    using Values = Kokkos::View<Scalar*, Device>;
    return {plan.num_rows, plan.num_cols, plan.row_offsets, plan.columns,
            allocate<Values>(exec, "einkorn::spgemm::values", plan.columns.extent(0))};
  }

  static void numeric(Exec const& exec, State const& plan, AMatrix const& A, BMatrix const& B,
                      CMatrix const& C) {
    require_kokkos("spgemm_numeric");
    require_structure(exec, plan, "A", plan.left, A);
    require_structure(exec, plan, "B", plan.right, B);
    require<StalePlan>(
        C.row_offsets.data() == plan.row_offsets.data() && C.columns.data() == plan.columns.data() &&
            C.values.extent(0) == plan.columns.extent(0),
        "spgemm_numeric: C was not made with this plan: its row_offsets and columns have to be the "
        "plan's, its values as many");
    require_aligned(C.values, "spgemm_numeric", "the values of C");
    auto const require_apart = [&](char const* matrix) {
      return [&C, matrix](char const* name, auto const& array) {
        require_aligned(array, "spgemm_numeric", name);
        require<InvalidArgument>(!overlaps(C.values, array), [&] {
          return std::string("spgemm_numeric: the values of C overlap the ") + name + " of " + matrix +
                 " in memory";
        });
      };
    };
    A.visit_arrays(require_apart("A"));
    B.visit_arrays(require_apart("B"));
    values(exec, plan, A, B, C);
  }

  /// Without checks: for matrices that symbolic() has just seen.
  static void values(Exec const& exec, State const& plan, AMatrix const& A, BMatrix const& B,
                     CMatrix const& C) {
    if (plan.columns.extent(0) == 0) return;
    if (plan.places.known()) {
      sum_by_scatter_map(exec, A, B, C, plan.places, plan.lanes);
    } else if (plan.by_teams) {
      if (plan.options.sums == SpgemmSums::ordered)
        sum_values<true>(exec, A, B, C, plan.schedule, plan.lanes, plan.narrow);
      else
        sum_values<false>(exec, A, B, C, plan.schedule, plan.lanes, plan.narrow);
    } else if constexpr (on_host) {
      values_on_host(exec, plan, A, B, C);
    }
  }

 private:
  using RowClasses = RowClassesOfC<AMatrix>;
  using List = Kokkos::View<Ordinal*, Device>;

  static bool is_same_structure(AMatrix const& A, BMatrix const& B) {
    return A.num_rows == B.num_rows && A.num_cols == B.num_cols && A.columns.size() == B.columns.size() &&
           A.columns.data() == B.columns.data() &&
           static_cast<void const*>(A.row_offsets.data()) == static_cast<void const*>(B.row_offsets.data()) &&
           std::is_same_v<typename AMatrix::offset_type, typename BMatrix::offset_type>;
  }

  template <class Matrix>
  static std::string size_of(Matrix const& M) {
    return std::to_string(M.num_rows) + " x " + std::to_string(M.num_cols);
  }

  template <class Matrix>
  static void require_structure(Exec const& exec, State const& plan, char const* name,
                                Fingerprint const& planned, Matrix const& given) {
    auto const seen = plan.options.checks == Checks::on ? fingerprint(exec, given) : empty_fingerprint(given);
    bool const same_size =
        seen.num_rows == planned.num_rows && seen.num_cols == planned.num_cols && seen.nnz == planned.nnz;
    require<StalePlan>(same_size && (plan.options.checks == Checks::off || seen == planned), [&] {
      return std::string("spgemm_numeric: the plan was made for ") + name + " of " +
             std::to_string(planned.num_rows) + " x " + std::to_string(planned.num_cols) + " with " +
             std::to_string(planned.nnz) + " entries, given " + size_of(given) + " with " +
             std::to_string(given.nnz()) + (same_size ? " whose entries lie elsewhere" : "");
    });
  }

  /// Counts to offsets, and room for the columns.
  static void offsets_of(Exec const& exec, State& plan) {
    Kokkos::View<COffset*, Device> offsets = plan.row_offsets;
    auto const rows = static_cast<std::size_t>(plan.num_rows);
    std::uint64_t entries = 0;
    Kokkos::parallel_reduce("einkorn::spgemm[entries]",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, rows),
                            SumOfCounts<decltype(offsets)>{offsets}, entries);
    require<OverflowError>(entries <= static_cast<std::uint64_t>(std::numeric_limits<COffset>::max()), [&] {
      return "spgemm: C has " + std::to_string(entries) +
             " entries, which its Offset does not hold; spgemm<std::int64_t>() or spgemm<std::size_t>() would "
             "do";
    });
    counts_to_offsets(exec, offsets);
    plan.columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::spgemm::columns", entries);
  }

  using Rows = ColumnsOfC<AMatrix, Words, COffset>;

  /// Whether a row of B has two entries in one column. Where its rows are not sorted their different columns
  /// are counted, as those of the product of the identity and B.
  /// Where the limit leaves no room for that it is taken to be so, which is slow and never wrong.
  static bool repeats_per_column(Exec const& exec, State& plan, BMatrix const& B, Words const& words,
                                 SymbolicConfig const& shape, RowOrder const& order) {
    if (order.is_sorted || order.repeats) return order.repeats;
    auto const rows = static_cast<std::size_t>(B.num_rows);
    using Offset = typename AMatrix::offset_type;
    std::size_t const needed =
        words.bytes() + rows * (sizeof(Offset) + sizeof(COffset) + 3 * sizeof(Ordinal)) + sizeof(Offset);
    if (needed > plan.options.workspace_limit) return true;
    plan.report.workspace = needed;
    auto offsets = allocate<Kokkos::View<Offset*, Device>>(exec, "einkorn::spgemm::identity", rows + 1);
    auto columns = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::spgemm::identity", rows);
    Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>> const all(exec, 0, rows);
    Kokkos::parallel_for("einkorn::spgemm[identity]",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, rows + 1),
                         Identity<decltype(offsets), decltype(columns)>{offsets, columns});
    AMatrix const identity{B.num_rows, B.num_rows, offsets, columns, {}};
    Rows on;
    on.A = identity;
    on.words = words;
    on.offsets = allocate<Kokkos::View<COffset*, Device>>(exec, "einkorn::spgemm::different", rows);
    on.words_of_C = allocate<Kokkos::View<Ordinal*, Device>>(exec, "einkorn::spgemm::words_of_B", rows);
    SpgemmReport not_of_C;
    bound_words(exec, identity, words, shape.words_of_all_columns, on.words_of_C);
    columns_of_rows(exec, on, shape, Ordinal(0), rows, not_of_C);
    std::uint64_t different = 0;
    Kokkos::parallel_reduce("einkorn::spgemm[different]", all, SumOfCounts<decltype(on.offsets)>{on.offsets},
                            different);
    return different != static_cast<std::uint64_t>(B.nnz());
  }

  static void symbolic_by_teams(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B, Words words,
                                RowOrder const& order) {
    plan.report.products = count_products(exec, A, B);
    auto const words_of_C =
        columns_by_teams(exec, plan, A, B, std::move(words), order, 0, [&] { offsets_of(exec, plan); });
    schedule_sums(exec, plan, words_of_C);
  }

  /// The rows of C by their kinds: those of F B (detail/spgemm_kinds.hpp), which go where the first rows of C
  /// are.
  static void symbolic_by_kinds(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B,
                                RowClasses kinds) {
    using Offsets = Kokkos::View<COffset*, Device>;
    auto const rows = static_cast<std::size_t>(plan.num_rows);
    auto const& limit = plan.options.workspace_limit;
    auto const order = row_order_of(exec, kinds, B);
    plan.narrow = order.is_sorted && plan.options.rows == SpgemmRows::sorted;
    plan.report.products = count_products_of(exec, kinds, B);
    State of_kinds;
    of_kinds.num_rows = kinds.firsts.num_rows;
    of_kinds.num_cols = plan.num_cols;
    of_kinds.options = plan.options;
    of_kinds.options.workspace_limit -= kinds.bytes();
    of_kinds.row_offsets =
        allocate<Offsets>(exec, "einkorn::spgemm::row_offsets", static_cast<std::size_t>(of_kinds.num_rows));
    List const words_of_kinds = columns_by_teams(
        exec, of_kinds, kinds.firsts, B, columns_as_words(B), order, SpgemmTuning::group_bins, [&] {
          gather(exec, "einkorn::spgemm[counts]", kinds.kinds, of_kinds.row_offsets, plan.row_offsets);
          offsets_of(exec, plan);
          gather(exec, "einkorn::spgemm[offsets]", kinds.first_rows, plan.row_offsets, of_kinds.row_offsets);
          of_kinds.columns = plan.columns;
        });
    copy_columns(exec, A, kinds, plan.row_offsets, plan.columns);
    plan.lanes = of_kinds.lanes;
    plan.report.kinds_of_rows = static_cast<std::uint64_t>(of_kinds.num_rows);
    plan.report.rows_by_columns = of_kinds.report.rows_by_columns;
    std::size_t const so_far = kinds.bytes() + of_kinds.report.workspace;
    plan.report.workspace = std::max(plan.report.workspace, so_far);
    if (plan.options.rows == SpgemmRows::sorted)
      plan.places = scatter_map<Scalar>(exec, kinds, B, plan.row_offsets, plan.columns, plan.lanes,
                                        std::min(limit - so_far, spgemm_tuning(arch_of<Exec>).places_bytes));
    plan.report.places_known = plan.places.known();
    if (plan.places.known()) {
      plan.report.workspace = std::max(plan.report.workspace, so_far + plan.places.bytes_beside_kinds());
      return;
    }
    List const words_of_C = allocate<List>(exec, "einkorn::spgemm::words_of_C", rows);
    gather(exec, "einkorn::spgemm[words]", kinds.kinds, words_of_kinds, words_of_C);
    exec.fence("einkorn::spgemm: the kinds are freed");
    kinds = RowClasses();
    schedule_sums(exec, plan, words_of_C);
  }

  /// The columns of C, row by row. counted() is called when plan.row_offsets are the counts of its rows, and
  /// makes offsets of them and room for the columns. The words of each row.
  template <class Counted>
  static List columns_by_teams(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B, Words words,
                               RowOrder const& order, int min_bin, Counted const& counted) {
    auto const rows = static_cast<std::size_t>(A.num_rows);
    auto const mean = [&](std::size_t entries) {
      return static_cast<double>(entries) / std::max(1.0, static_cast<double>(B.num_rows));
    };
    SymbolicConfig shape;
    shape.sorted_B = order.is_sorted;
    shape.words_of_all_columns = static_cast<std::uint64_t>(words_for(B.num_cols));
    shape.lanes_of_words = lanes_for<Exec>(mean(words.count()));
    // Unordered sums too: where rows are alike they are added without atomics.
    plan.lanes = repeats_per_column(exec, plan, B, words, shape, order)
                     ? 1
                     : lanes_for<Exec>(mean(static_cast<std::size_t>(B.nnz())));
    shape.min_bin = min_bin;
    Rows on;
    on.A = A;
    on.offsets = plan.row_offsets;
    on.words_of_C = allocate<List>(exec, "einkorn::spgemm::words_of_C", rows);
    on.sorted = plan.options.rows == SpgemmRows::sorted;
    std::size_t const kept = words.bytes() + rows * sizeof(Ordinal);
    std::size_t const chunk = rows_at_once(plan, rows, kept);
    bound_words(exec, A, words, shape.words_of_all_columns, on.words_of_C);
    on.words = std::move(words);
    if (plan.options.workspace_limit - kept >=
        (sizeof(Ordinal) * 4 + sizeof(float)) * static_cast<std::size_t>(spgemm_tuning(arch_of<Exec>).sample))
      shape.share = share_of_words(exec, on, shape, rows);
    auto const in_chunks = [&] {
      for (std::size_t first = 0; first < rows; first += chunk)
        columns_of_rows(exec, on, shape, static_cast<Ordinal>(first), std::min(chunk, rows - first),
                        plan.report);
    };
    in_chunks();
    counted();
    on.columns = plan.columns;
    on.counting = false;
    in_chunks();
    plan.report.workspace = std::max(plan.report.workspace, kept + chunk * sizeof(Ordinal));
    return on.words_of_C;
  }

  static void schedule_sums(Exec const& exec, State& plan, Kokkos::View<Ordinal*, Device> const& words_of_C) {
    plan.schedule = sums_schedule(exec, words_of_C.extent(0), plan.row_offsets, words_of_C);
    for (int bin = 0; bin < SpgemmTuning::sums_bins; ++bin)
      plan.report.rows_by_sums[static_cast<std::size_t>(bin)] = plan.schedule.bins.size(bin);
    std::size_t const scheduling = words_of_C.extent(0) * sizeof(Ordinal) + plan.schedule.bytes();
    require_memory(plan, scheduling);
    plan.report.workspace = std::max(plan.report.workspace, scheduling);
  }

  static void require_memory(State const& plan, std::size_t needed) {
    auto const limit = plan.options.workspace_limit;
    require<OutOfMemory>(needed <= limit, [&] {
      return "spgemm: a workspace_limit of " + std::to_string(limit) + " bytes; at least " +
             std::to_string(needed) + " are needed";
    });
  }
  /// Rows of which the lists fit what the limit leaves beside what is kept, at most 2^28, which league sizes
  /// hold. Lists of all rows are needed in the end, when the sums are shared out.
  static std::size_t rows_at_once(State const& plan, std::size_t rows, std::size_t kept) {
    constexpr std::size_t a_row = sizeof(Ordinal);
    require_memory(plan, std::max(kept + a_row, 2 * rows * a_row));
    return std::max<std::size_t>(
        1, std::min({rows, (plan.options.workspace_limit - kept) / a_row, std::size_t(1) << 28}));
  }

  /// Of the pattern by host_rows, words of B not counted: lists of `list` words per thread.
  static std::size_t bytes_on_host(AMatrix const& A, BMatrix const& B, std::size_t list) {
    auto const all = static_cast<std::size_t>(words_for(B.num_cols));
    std::size_t const accumulators =
        has_bitmaps(A, B) ? (all + static_cast<std::size_t>(words_for(all))) * sizeof(std::uint32_t)
                          : capacity_for_words(list) * sizeof(CompressedColumns<Ordinal>);
    return (static_cast<std::size_t>(A.num_rows) + 1) * sizeof(std::uint64_t) +
           RowParts<Exec>::threads() * (accumulators + list * sizeof(Ordinal));
  }
  static std::size_t bytes_on_host([[maybe_unused]] AMatrix const& A, [[maybe_unused]] BMatrix const& B) {
    if constexpr (on_host)
      return bytes_on_host(A, B, static_cast<std::size_t>(words_for(B.num_cols)));
    else
      return 0;
  }
  /// Of a hash table, which counts its slots in int.
  static std::size_t slots_for(std::size_t keys) {
    require<OverflowError>(keys <= std::size_t(1) << 29, [&] {
      return "spgemm: a row of C has up to " + std::to_string(keys) +
             " entries, more than the 2^29 of a hash table on the host";
    });
    return capacity_for_words(keys);
  }
  static bool has_bitmaps(AMatrix const& A, BMatrix const& B) {
    return takes_dense(static_cast<std::size_t>(words_for(B.num_cols)), sizeof(std::uint32_t),
                       RowParts<Exec>::threads(),
                       static_cast<std::size_t>(A.nnz()) + static_cast<std::size_t>(B.nnz()));
  }

  static void symbolic_on_host([[maybe_unused]] Exec const& exec, [[maybe_unused]] State& plan,
                               [[maybe_unused]] AMatrix const& A, [[maybe_unused]] BMatrix const& B,
                               [[maybe_unused]] Words words) {
    if constexpr (on_host) {
      auto const rows = static_cast<std::size_t>(A.num_rows);
      auto& scratch = plan.host_scratch;
      scratch.products = allocate<decltype(scratch.products)>(exec, "einkorn::spgemm::products", rows + 1);
      using Bound = BoundRow<AMatrix, BMatrix, decltype(words.offsets), decltype(scratch.products)>;
      std::uint64_t max_words = 0;
      Kokkos::parallel_reduce(
          "einkorn::spgemm[bounds]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, rows),
          Bound{A, B, words.offsets, scratch.products}, Kokkos::Max<std::uint64_t>(max_words));
      plan.report.products = counts_to_offsets(exec, scratch.products);
      auto const threads = RowParts<Exec>::threads();
      auto const all = static_cast<std::size_t>(words_for(B.num_cols));
      auto const list = std::min<std::size_t>(all, max_words);
      std::size_t const needed = words.bytes() + bytes_on_host(A, B, list);
      require_memory(plan, needed);
      if (has_bitmaps(A, B)) {
        BitmapOfRow<Ordinal, Memory> bitmap;
        using Bits = decltype(bitmap.bits);
        bitmap.bits = allocate_zeros<Bits>(exec, "einkorn::spgemm::bits", threads, all);
        bitmap.words_set = allocate_zeros<Bits>(exec, "einkorn::spgemm::words_set", threads, words_for(all));
        columns_on_host(exec, plan, A, std::move(words), bitmap, list);
      } else {
        TableOfRow<Ordinal, Memory> table;
        table.words =
            allocate<decltype(table.words)>(exec, "einkorn::spgemm::word_tables", threads, slots_for(list));
        columns_on_host(exec, plan, A, std::move(words), table, list);
      }
      plan.report.workspace = needed;
      make_host_scratch(exec, plan, threads,
                        static_cast<std::size_t>(A.nnz()) + static_cast<std::size_t>(B.nnz()));
    }
  }

  /// Counts and columns of C, with lists of `list` words per thread.
  template <class Row>
  static void columns_on_host(Exec const& exec, State& plan, AMatrix const& A, Words words,
                              Row const& accumulators, std::size_t list) {
    using Kernel = HostColumns<AMatrix, Words, COffset, Row>;
    auto const parts = parts_of(exec, plan);
    auto const lists =
        allocate<decltype(Kernel::lists)>(exec, "einkorn::spgemm::lists", RowParts<Exec>::threads(), list);
    Kernel kernel{A,
                  std::move(words),
                  accumulators,
                  lists,
                  plan.host_scratch.products,
                  plan.row_offsets,
                  {},
                  plan.options.rows == SpgemmRows::sorted,
                  true};
    parts.for_each_row(exec, "einkorn::spgemm[count]", kernel);
    offsets_of(exec, plan);
    kernel.columns = plan.columns;
    kernel.counting = false;
    parts.for_each_row(exec, "einkorn::spgemm[columns]", kernel);
    exec.fence("einkorn::spgemm: words and bitmaps are freed");
  }

  static RowParts<Exec> parts_of(Exec const& exec, State const& plan) {
    return {plan.host_scratch.products, static_cast<std::size_t>(host_parts(exec))};
  }

  /// Sums of all columns a thread where there are entries enough (takes_dense()), that is no more than
  /// `dense_bytes` a thread and the limit allows it.
  /// Even where columns are random and 12 MB of sums a thread miss the near caches they are faster than hash
  /// tables (2 cores of a shared Xeon, 2026-11, gen:longrows:1500000:1500000:5: 0.60 s against 2.07 s), so the
  /// tables are for what does not fit.
  static void make_host_scratch(Exec const& exec, State& plan, std::size_t threads, std::size_t entries) {
    constexpr std::size_t dense_bytes = std::size_t(1) << 30;
    auto& scratch = plan.host_scratch;
    auto const columns = static_cast<std::size_t>(plan.num_cols);
    std::size_t const dense = columns * sizeof(Scalar), so_far = scratch.bytes();
    bool const pays = takes_dense(columns, sizeof(Scalar), threads, entries + plan.columns.extent(0));
    if (pays && dense <= dense_bytes && threads * dense + so_far <= plan.options.workspace_limit) {
      scratch.sums = allocate_zeros<decltype(scratch.sums)>(exec, "einkorn::spgemm::sums", threads, columns);
    } else {
      std::size_t longest = 0;
      auto const offsets = plan.row_offsets;
      Kokkos::parallel_reduce(
          "einkorn::spgemm[longest]",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0,
                                                                    static_cast<std::size_t>(plan.num_rows)),
          [=](std::size_t i, std::size_t& most) {
            most = std::max(most, static_cast<std::size_t>(offsets(i + 1) - offsets(i)));
          },
          Kokkos::Max<std::size_t>(longest));
      std::size_t const slots = slots_for(longest);
      scratch.keys = allocate<decltype(scratch.keys)>(exec, "einkorn::spgemm::keys", threads, slots);
      scratch.words = allocate<decltype(scratch.words)>(exec, "einkorn::spgemm::words", threads, slots);
    }
    require_memory(plan, scratch.bytes());
    plan.report.workspace = std::max(plan.report.workspace, scratch.bytes());
  }

  static void values_on_host(Exec const& exec, State const& plan, AMatrix const& A, BMatrix const& B,
                             CMatrix const& C) {
    auto const& scratch = plan.host_scratch;
    auto const parts = parts_of(exec, plan);
    if (scratch.sums.size() > 0)
      parts.for_each_row(exec, "einkorn::spgemm[values,dense]",
                         HostDenseSums<AMatrix, BMatrix, CMatrix>{A, B, C, scratch.sums});
    else
      parts.for_each_row(exec, "einkorn::spgemm[values,hash]",
                         HostHashedSums<AMatrix, BMatrix, CMatrix>{A, B, C, scratch.keys, scratch.words});
  }
};

template <class COffset, class Exec, class AMatrix, class BMatrix>
using SpgemmStepsFor = SpgemmSteps<
    Exec, std::remove_cvref_t<AMatrix>, std::remove_cvref_t<BMatrix>,
    std::remove_cvref_t<decltype(typename std::remove_cvref_t<AMatrix>::scalar_type() *
                                 typename std::remove_cvref_t<BMatrix>::scalar_type())>,
    std::conditional_t<std::is_void_v<COffset>, typename std::remove_cvref_t<AMatrix>::offset_type, COffset>>;

}  // namespace einkorn::detail
