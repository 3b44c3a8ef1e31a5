// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/detail/inspection.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/spgemm/choose.hpp>
#include <einkorn/formats/spgemm/detail/analyze_operands.hpp>
#include <einkorn/formats/spgemm/detail/numeric_hash.hpp>
#include <einkorn/formats/spgemm/detail/numeric_host.hpp>
#include <einkorn/formats/spgemm/detail/product_row_classes.hpp>
#include <einkorn/formats/spgemm/detail/scatter_map.hpp>
#include <einkorn/formats/spgemm/detail/state.hpp>
#include <einkorn/formats/spgemm/detail/symbolic_host.hpp>
#include <einkorn/formats/spgemm/detail/symbolic_launch.hpp>
#include <einkorn/formats/spgemm/detail/symbolic_one_pass.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace einkorn::detail {

/// The symbolic phase of C = A B. Contract: formats/spgemm/spgemm.hpp; decisions: formats/spgemm/choose.hpp.
template <class Exec, class AMatrix, class BMatrix, class COffset, bool teams_on_host = false>
class SpgemmSymbolic {
 public:
  using State = SpgemmStateFor<COffset, AMatrix, BMatrix, teams_on_host>;

  static State run(Exec const& exec, AMatrix const& A, BMatrix const& B, SpgemmOptions const& options) {
    require_valid(A, B, options);
    State plan;
    plan.options = options;
    plan.left = fingerprint_of(exec, A, options.checks);
    plan.right = is_same_structure(A, B) ? plan.left : fingerprint_of(exec, B, options.checks);
    plan.num_rows = A.num_rows;
    plan.num_cols = B.num_cols;
    auto const rows = static_cast<std::size_t>(A.num_rows);
    SpgemmSizes const sizes{rows,
                            static_cast<std::size_t>(B.num_rows),
                            static_cast<std::size_t>(A.nnz()),
                            static_cast<std::size_t>(B.nnz()),
                            sizeof(Ordinal),
                            on_host};
    plan.path = choose_spgemm(sizes, options);
    plan.row_offsets = allocate<Offsets>(exec, "einkorn::spgemm::row_offsets", rows + 1);
    if (plan.path == SpgemmPath::empty) {
      fill_vector(exec, plan.row_offsets, Offset(0));
      return plan;
    }
    if constexpr (on_host)
      if (plan.path == SpgemmPath::host_rows) run_on_host(exec, plan, A, B, sizes);
    if constexpr (has_row_teams<Exec, State>)
      if (plan.path != SpgemmPath::host_rows) run_by_teams(exec, plan, A, B, sizes);
    return plan;
  }

 private:
  using Ordinal = typename AMatrix::ordinal_type;
  using Device = typename AMatrix::device_type;
  using Offset = typename State::Matrix::offset_type;
  using Offsets = Kokkos::View<Offset*, Device>;
  using List = Kokkos::View<Ordinal*, Device>;
  using CompressedB = decltype(compress_rows(std::declval<Exec>(), std::declval<BMatrix>(), std::size_t()));
  using RowClasses = RowClassesOfC<AMatrix>;
  using Args = SymbolicArgs<AMatrix, CompressedB, Offset>;
  static constexpr bool on_host = is_host_product<Exec, Device>;
  static constexpr auto max_inserts = static_cast<std::uint64_t>(std::numeric_limits<Ordinal>::max());

  static void run_on_host(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B,
                          SpgemmSizes const& sizes) {
    std::size_t const limit = remaining_bytes(plan.options.workspace_limit, host_pattern_bytes<Exec>(A, B));
    auto compressed_B = compress_rows(exec, B, limit);
    report_compressed(plan, compressed_B);
    compute_pattern_on_host(exec, plan, A, B, std::move(compressed_B));
    allocate_host_scratch(exec, plan, sizes.nnz_A + sizes.nnz_B);
  }

  static void run_by_teams(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B,
                           SpgemmSizes const& sizes) {
    auto const& options = plan.options;
    std::size_t const limit = remaining_bytes(options.workspace_limit, row_team_bytes(sizes));
    // A large structured grid is not read as a whole before its row classes are known.
    constexpr std::size_t max_entries_to_read_first = std::size_t(1) << 22;
    bool const has_classes = plan.path == SpgemmPath::row_classes;
    bool const has_few_entries = sizes.nnz_A + sizes.nnz_B <= max_entries_to_read_first;
    bool const reads_entries = !has_classes || has_few_entries;
    // Small products: the bins of the rows are counted in the same pass, as if B were not compressed.
    RowLists lists;
    auto const num_keys = static_cast<std::uint64_t>(num_keys_for(B.num_cols));
    if (has_few_entries && options.workspace_limit == std::numeric_limits<std::size_t>::max()) {
      lists = RowLists(exec, sizes.rows_A);
      compute_upper_bounds(exec, A, uncompressed_rows(B), max_inserts, lists.bounds);
    }
    auto const totals = std::make_shared<CountTotals<Exec>>();
    plan.totals = totals;
    auto const analyze = [&](std::size_t samples, bool entries) {
      return analyze_operands(exec, A, B, samples, entries,
                              SymbolicBin<List, Offsets>{
                                  lists.bounds, {}, plan.row_offsets, spgemm_tuning(arch_of<Exec>), num_keys},
                              lists.bounds.extent(0), *totals);
    };
    auto analysis = analyze(has_classes ? row_class_sample_size : 0, reads_entries);
    // `automatic` does not search for classes of small products: the search would take longer.
    bool const is_small = options.algorithm == SpgemmAlgorithm::automatic && reads_entries &&
                          !searches_row_classes(analysis.products);
    if (has_classes && !is_small && may_have_row_classes(analysis.repeated_A, analysis.repeated_B)) {
      lists = {};
      auto classes = find_row_classes_of_C(exec, A, B, limit, plan.report.workspace);
      if (classes.found()) {
        run_by_classes(exec, plan, A, B, std::move(classes));
        return;
      }
    }
    plan.path = SpgemmPath::row_teams;
    if (!reads_entries) analysis = analyze(0, true);
    plan.sorted_rows = analysis.order.is_sorted && options.rows == SpgemmRows::sorted;
    auto compressed_B = may_compress_B(analysis.products)
                            ? compress_rows(exec, B, limit, analysis.num_compressed)
                            : uncompressed_rows(B);
    report_compressed(plan, compressed_B);
    run_by_rows(exec, plan, A, B, std::move(compressed_B), analysis, lists, *totals);
  }

  /// One allocation for the lists of small products; empty for others.
  struct RowLists {
    List all, bounds, by_bin;  // bounds: memory for upper bounds; by_bin: symbolic bins, then numeric ones

    RowLists() = default;
    RowLists(Exec const& exec, std::size_t rows)
        : all(allocate<List>(exec, "einkorn::spgemm::lists_of_rows", 2 * rows)),
          bounds(Kokkos::subview(all, Kokkos::make_pair(std::size_t(0), rows))),
          by_bin(Kokkos::subview(all, Kokkos::make_pair(rows, 2 * rows))) {}
  };

  static void require_valid(AMatrix const& A, BMatrix const& B, SpgemmOptions const& options) {
    require_kokkos("spgemm");
    require_enumerator(options.algorithm, SpgemmAlgorithm::host_rows, "spgemm: algorithm");
    require_enumerator(options.rows, SpgemmRows::unsorted, "spgemm: rows");
    require_enumerator(options.sums, SpgemmSums::unordered, "spgemm: sums");
    require_enumerator(options.row_classes, SpgemmRowClasses::off, "spgemm: row_classes");
    require_enumerator(options.checks, Checks::off, "spgemm: checks");
    require<DimensionMismatch>(A.num_cols == B.num_rows, [&] {
      return "spgemm: A is " + size_of(A) + ", B is " + size_of(B) + ": A has " + std::to_string(A.num_cols) +
             " columns, B " + std::to_string(B.num_rows) + " rows";
    });
    require<InvalidArgument>(on_host || options.algorithm != SpgemmAlgorithm::host_rows,
                             "spgemm: host_rows is for matrices in host memory");
    bool const has_teams = has_row_teams<Exec, State>;
    require<InvalidArgument>(
        has_teams || options.algorithm != SpgemmAlgorithm::row_teams,
        "spgemm: row_teams is compiled for matrices in host memory only if the options are "
        "SpgemmTeamOptions");
  }

  /// With Checks::off the sizes only, as spgemm_numeric() compares nothing else.
  template <class Matrix>
  static Fingerprint fingerprint_of(Exec const& exec, Matrix const& M, Checks checks) {
    return checks == Checks::on ? checked_fingerprint(exec, M, checks) : empty_fingerprint(M);
  }

  static bool is_same_structure(AMatrix const& A, BMatrix const& B) {
    return A.num_rows == B.num_rows && A.num_cols == B.num_cols && A.columns.size() == B.columns.size() &&
           A.columns.data() == B.columns.data() &&
           static_cast<void const*>(A.row_offsets.data()) == static_cast<void const*>(B.row_offsets.data()) &&
           std::is_same_v<typename AMatrix::offset_type, typename BMatrix::offset_type>;
  }

  static void report_compressed(State& plan, CompressedB const& compressed_B) {
    plan.report.compressed_nnz_B = compressed_B.compressed ? compressed_B.size() : 0;
    plan.report.workspace = std::max(plan.report.workspace, compressed_B.bytes());
  }

  static void run_by_rows(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B,
                          CompressedB compressed_B, OperandAnalysis const& analysis, RowLists const& lists,
                          CountTotals<Exec>& totals) {
    plan.report.products = analysis.products;
    bool const keeps_bins = keeps_symbolic_bins(analysis.products),
               has_temporaries = compressed_B.compressed || !keeps_bins || lists.all.extent(0) == 0;
    KnownBins known{keeps_bins, lists,
                    lists.all.extent(0) > 0 && !compressed_B.compressed ? analysis.bins : nullptr};
    if (keeps_bins) plan.lists = lists.all;
    PatternCounts counts;
    auto const pattern = fill_pattern(
        exec, plan, A, B, std::move(compressed_B), analysis.order, 0, known, [&](List const& compressed) {
          counts = count_pattern(exec, compressed.extent(0), plan.row_offsets, compressed, lengths_of(A),
                                 chunks_of(plan), totals);
          allocate_pattern(exec, plan, counts.entries);
        });
    make_schedule(exec, plan, A, pattern.compressed_counts, counts, keeps_bins ? lists.by_bin : List());
    if (has_temporaries) exec.fence("einkorn::spgemm: the temporaries of the pattern are freed");
  }

  /// Computes the pattern of F B, where F has the representatives of the row classes, in place in C's columns;
  /// then copies it to the other rows.
  static void run_by_classes(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B,
                             RowClasses classes) {
    auto const rows = static_cast<std::size_t>(plan.num_rows);
    auto const& limit = plan.options.workspace_limit;
    auto const order = row_order_of_B(exec, classes, B);
    plan.sorted_rows = order.is_sorted && plan.options.rows == SpgemmRows::sorted;
    plan.report.products = count_products_by_class(exec, classes, B);
    State class_plan;  // of F B
    class_plan.num_rows = classes.F.num_rows;
    class_plan.num_cols = plan.num_cols;
    class_plan.options = plan.options;
    class_plan.options.workspace_limit -= classes.bytes();
    class_plan.row_offsets =
        allocate<Offsets>(exec, "einkorn::spgemm::row_offsets", static_cast<std::size_t>(class_plan.num_rows));
    auto const class_pattern =
        fill_pattern(exec, class_plan, classes.F, B, uncompressed_rows(B), order, SpgemmTuning::group_bins, {},
                     [&](List const&) {
                       gather(exec, "einkorn::spgemm[class counts]", classes.class_of_row,
                              class_plan.row_offsets, plan.row_offsets);
                       allocate_pattern(exec, plan);
                       gather(exec, "einkorn::spgemm[class offsets]", classes.representatives, plan.row_offsets,
                              class_plan.row_offsets);
                       class_plan.columns = plan.columns;
                     });
    copy_columns(exec, A, classes, plan.row_offsets, plan.columns);
    plan.segment_lanes = class_plan.segment_lanes;
    plan.report.num_row_classes = static_cast<std::uint64_t>(class_plan.num_rows);
    plan.report.symbolic_bins = class_plan.report.symbolic_bins;
    std::size_t const used = classes.bytes() + class_plan.report.workspace;
    plan.report.workspace = std::max(plan.report.workspace, used);
    plan.scatter_map = make_scatter_map<typename State::Matrix::scalar_type>(
        exec, classes, B, plan.row_offsets, plan.columns, plan.options.rows, plan.segment_lanes,
        std::min(limit - used, spgemm_tuning(arch_of<Exec>).max_scatter_map_bytes));
    plan.report.has_scatter_map = plan.scatter_map.is_available();
    if (plan.scatter_map.is_available()) {
      plan.report.workspace = std::max(plan.report.workspace, used + plan.scatter_map.bytes());
      return;
    }
    List const compressed_counts = allocate<List>(exec, "einkorn::spgemm::compressed_counts", rows);
    gather(exec, "einkorn::spgemm[class compressed counts]", classes.class_of_row,
           class_pattern.compressed_counts, compressed_counts);
    exec.fence("einkorn::spgemm: the row classes are freed");
    classes = RowClasses();
    CountTotals<Exec> totals;
    make_schedule(exec, plan, A, compressed_counts,
                  count_pattern(exec, rows, RowLengths<Offsets>{plan.row_offsets}, compressed_counts,
                                lengths_of(A), chunks_of(plan), totals));
    exec.fence("einkorn::spgemm: the temporaries of the schedule are freed");
  }

  /// What fill_pattern() leaves; in use until exec is fenced.
  struct Pattern {
    List compressed_counts;  // per row of C
    SymbolicBins<Args> bins;
    CompressedB B;
  };

  struct KnownBins {
    bool are_kept = false;  // keeps_symbolic_bins()
    RowLists lists;
    std::uint64_t const* counts = nullptr;  // rows per bin of these bounds, or null
  };

  /// The pattern of C = A B on a GPU or by teams. on_counted(compressed_counts) is called when plan.row_offsets
  /// has the entries per row; it computes offsets and allocates plan.columns.
  template <class OnCounted>
  static Pattern fill_pattern(Exec const& exec, State& plan, AMatrix const& A, BMatrix const& B,
                              CompressedB compressed_B, RowOrder const& order, int min_bin,
                              KnownBins const& known, OnCounted const& on_counted) {
    auto const rows = static_cast<std::size_t>(A.num_rows);
    auto const mean = [&](std::size_t entries) {
      return static_cast<double>(entries) / std::max(1.0, static_cast<double>(B.num_rows));
    };
    SymbolicConfig config{order.is_sorted, static_cast<std::uint64_t>(num_keys_for(B.num_cols)),
                          lanes_for_mean<Exec>(mean(compressed_B.size())), 1.0, min_bin};
    // Also for unordered sums, because a scatter map does not use atomics.
    plan.segment_lanes = has_repeated_columns(exec, plan, B, compressed_B, config, order)
                             ? 1
                             : lanes_for_mean<Exec>(mean(static_cast<std::size_t>(B.nnz())));
    Args args;
    args.A = A;
    args.offsets = plan.row_offsets;
    args.compressed_counts = known.lists.bounds.extent(0) > 0
                                 ? known.lists.bounds
                                 : allocate<List>(exec, "einkorn::spgemm::compressed_counts", rows);
    args.sorted = plan.options.rows == SpgemmRows::sorted;
    std::size_t const kept_bytes = compressed_B.bytes() + rows * sizeof(Ordinal);
    std::size_t const chunk = rows_per_chunk(plan, rows, kept_bytes);
    if (known.counts == nullptr)
      compute_upper_bounds(exec, A, compressed_B, max_inserts, args.compressed_counts);
    args.B = std::move(compressed_B);
    plan.report.workspace = std::max(plan.report.workspace, kept_bytes + chunk * sizeof(Ordinal));
    // The bins are kept beside the numeric schedule.
    auto const bytes_with_bins = kept_bytes + 3 * (rows + 1) * sizeof(Ordinal);
    if (known.are_kept && bytes_with_bins <= plan.options.workspace_limit) {
      plan.report.workspace = std::max(plan.report.workspace, bytes_with_bins);
      auto const bins = make_symbolic_bins(exec, args, config, known.counts, known.lists.by_bin);
      for (int bin = 0; bin < SpgemmTuning::num_symbolic_bins; ++bin)
        plan.report.symbolic_bins[static_cast<std::size_t>(bin)] = bins.size(bin);
      args.rows = bins.items;
      if (!fill_pattern_in_one_pass(exec, plan, args, config, bins, on_counted)) {
        launch_symbolic(exec, args, config, bins.offsets);
        on_counted(args.compressed_counts);
        args.columns = plan.columns;
        args.counting = false;
        launch_symbolic(exec, args, config, bins.offsets);
      }
      return {args.compressed_counts, bins, args.B};
    }
    if (samples_rows(rows, spgemm_tuning(arch_of<Exec>).sample_size, sizeof(Ordinal),
                     plan.options.workspace_limit - kept_bytes))
      config.compression = estimate_compression(exec, args, config, rows);
    List inserts;
    if (plan.options.workspace_limit == std::numeric_limits<std::size_t>::max()) {
      inserts = allocate<List>(exec, "einkorn::spgemm::inserts", rows);
      copy_vector(exec, inserts, args.compressed_counts);
      plan.report.workspace = std::max(plan.report.workspace, kept_bytes + 2 * rows * sizeof(Ordinal));
    }
    auto const run_chunks = [&] {
      for (std::size_t first = 0; first < rows; first += chunk)
        run_symbolic(exec, args, config, static_cast<Ordinal>(first), std::min(chunk, rows - first),
                     plan.report, inserts);
    };
    run_chunks();
    on_counted(args.compressed_counts);
    args.columns = plan.columns;
    args.counting = false;
    run_chunks();
    return {args.compressed_counts, {}, {}};
  }

  /// Whether a row of B has two entries in one column. If its rows are not sorted, their distinct columns are
  /// counted as those of I B. True, which is slower but correct, if the limit leaves no memory to count.
  static bool has_repeated_columns(Exec const& exec, State& plan, BMatrix const& B,
                                   CompressedB const& compressed_B, SymbolicConfig const& config,
                                   RowOrder const& order) {
    if (order.is_sorted || order.repeats) return order.repeats;
    auto const rows = static_cast<std::size_t>(B.num_rows);
    using AOffset = typename AMatrix::offset_type;
    std::size_t const needed = compressed_B.bytes() +
                               rows * (sizeof(AOffset) + sizeof(Offset) + 3 * sizeof(Ordinal)) +
                               sizeof(AOffset);
    if (needed > plan.options.workspace_limit) return true;
    plan.report.workspace = needed;
    auto offsets = allocate<Kokkos::View<AOffset*, Device>>(exec, "einkorn::spgemm::identity", rows + 1);
    auto columns = allocate<List>(exec, "einkorn::spgemm::identity", rows);
    range_for<std::size_t>("einkorn::spgemm[identity]", exec, rows + 1,
                           FillIdentity<decltype(offsets), decltype(columns)>{offsets, columns});
    AMatrix const identity{B.num_rows, B.num_rows, offsets, columns, {}};
    Args args;
    args.A = identity;
    args.B = compressed_B;
    args.offsets = allocate<Offsets>(exec, "einkorn::spgemm::distinct", rows);
    args.compressed_counts = allocate<List>(exec, "einkorn::spgemm::compressed_counts", rows);
    SpgemmReport unused_report;
    compute_upper_bounds(exec, identity, compressed_B, max_inserts, args.compressed_counts);
    run_symbolic(exec, args, config, Ordinal(0), rows, unused_report);
    std::uint64_t distinct = 0;
    range_reduce<std::size_t>("einkorn::spgemm[distinct]", exec, rows, SumCounts<Offsets>{args.offsets},
                              distinct);
    return distinct != static_cast<std::uint64_t>(B.nnz());
  }

  static ChunkPlan chunks_of(State const& plan) {
    return plan_chunks(spgemm_tuning(arch_of<Exec>), plan.options, sizeof(typename State::Matrix::scalar_type));
  }

  static auto lengths_of(AMatrix const& A) { return RowLengths<decltype(A.row_offsets)>{A.row_offsets}; }

  static void make_schedule(Exec const& exec, State& plan, AMatrix const& A, List const& compressed_counts,
                            PatternCounts const& counts, List const& memory = {}) {
    plan.schedule = make_numeric_schedule(exec, compressed_counts.extent(0), plan.row_offsets,
                                          compressed_counts, lengths_of(A), counts, chunks_of(plan), memory);
    plan.schedule.concatenates = concatenates_segments(plan.report.products, counts.entries);
    for (int bin = 0; bin < SpgemmTuning::num_numeric_bins; ++bin)
      plan.report.numeric_bins[static_cast<std::size_t>(bin)] = plan.schedule.bins.size(bin);
    std::size_t const needed = compressed_counts.extent(0) * sizeof(Ordinal) + plan.schedule.bytes();
    require_workspace(plan.options, needed);
    plan.report.workspace = std::max(plan.report.workspace, needed);
  }

  /// Rows whose bins fit the limit beside `kept_bytes`; at most 2^28, which a league size holds. The numeric
  /// schedule needs lists of all rows, so these must fit in any case.
  static std::size_t rows_per_chunk(State const& plan, std::size_t rows, std::size_t kept_bytes) {
    constexpr std::size_t row_bytes = sizeof(Ordinal);
    require_workspace(plan.options, std::max(kept_bytes + row_bytes, 2 * rows * row_bytes));
    return std::max<std::size_t>(
        1, std::min({rows, (plan.options.workspace_limit - kept_bytes) / row_bytes, std::size_t(1) << 28}));
  }
};

}  // namespace einkorn::detail
