// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/detail/result_memory.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/detail/inspect.hpp>
#include <einkorn/formats/csr/detail/row_order.hpp>
#include <einkorn/formats/fingerprint.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace einkorn::detail {

inline bool are_on(Checks checks) {
  require_enumerator(checks, Checks::off, "checks");
  return checks == Checks::on;
}

/// Copies one entry of a View to the host.
template <class View>
typename View::non_const_value_type read_one(View const& view, std::size_t index) {
  if constexpr (is_gpu<typename View::execution_space>) {
    typename View::non_const_value_type value{};
    Kokkos::deep_copy(value, Kokkos::subview(view, index));
    return value;
  } else {
    return view(index);
  }
}

/// The row of entry k, for error messages: read_one() of row offsets by binary search. @pre k < A.nnz().
template <class Matrix>
typename Matrix::ordinal_type read_row_of_entry(Matrix const& A, typename Matrix::offset_type k) {
  typename Matrix::ordinal_type row = 0, end = A.num_rows;
  while (end - row > 1) {
    auto const middle = static_cast<typename Matrix::ordinal_type>(row + (end - row) / 2);
    if (read_one(A.row_offsets, static_cast<std::size_t>(middle)) <= k)
      row = middle;
    else
      end = middle;
  }
  return row;
}

template <class Count, class IsBad>
struct FindFirstBad {
  IsBad is_bad;

  KOKKOS_FUNCTION void operator()(Count i, Count& lowest) const {
    if (i < lowest && is_bad(i)) lowest = i;
  }
};

/// The lowest index in [0, count) for which `is_bad` holds, or count. Fences exec.
template <class Exec, class Count, class IsBad>
Count first_bad(Exec const& exec, char const* label, Count count, IsBad const& is_bad) {
  Count first = count;
  range_reduce<Count>(label, exec, count, FindFirstBad<Count, IsBad>{is_bad}, Kokkos::Min<Count>(first));
  return first < count ? first : count;  // Min starts at the largest Count
}

template <class Offsets>
struct Decreases {
  Offsets offsets;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index i) const {
    return offsets(i + 1) < offsets(i);
  }
};

template <class Columns, class Ordinal>
struct OutOfRange {
  Columns columns;
  Ordinal num_cols;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index i) const {
    return columns(i) < 0 || columns(i) >= num_cols;
  }
};

/// Host: the errors that InspectCsr finds, by one thread. `at` is 0 if row_offsets(0) is not 0, 1 if the last offset is not
/// nnz, 2 + the first row after which offsets decrease.
/// @param decreases       whether row_offsets decrease anywhere
/// @param largest_column  as an integer without sign
template <class Matrix>
void find_errors_on_host(Matrix const& A, bool decreases,
                         std::make_unsigned_t<typename Matrix::ordinal_type> largest_column, std::size_t& at,
                         std::size_t& entry) {
  auto const* const offsets = A.row_offsets.data();
  auto const rows = static_cast<std::size_t>(A.num_rows);
  if (offsets[0] != 0)
    at = 0;
  else if (offsets[rows] != A.nnz())
    at = 1;
  else if (decreases)
    at = 1 + static_cast<std::size_t>(std::is_sorted_until(offsets, offsets + rows + 1) - offsets);
  auto const* const columns = A.columns.data();
  auto const nnz = static_cast<std::size_t>(A.nnz());
  auto const num_cols = static_cast<decltype(largest_column)>(A.num_cols);
  auto const is_bad = [&](auto column) { return static_cast<decltype(largest_column)>(column) >= num_cols; };
  if (nnz > 0 && is_bad(largest_column))
    entry = static_cast<std::size_t>(std::find_if(columns, columns + nnz, is_bad) - columns);
}

/// Checks sizes and alignment. False: a valid matrix without rows and row_offsets.
template <class Matrix>
bool require_extents(Matrix const& A) {
  using Offset = typename Matrix::offset_type;
  require<InvalidStructure>(A.num_rows >= 0 && A.num_cols >= 0, [&] {
    return detail::joined("Csr: negative size ", A.num_rows, " x ", A.num_cols);
  });
  A.visit_arrays([](char const* name, auto const& array) { require_aligned(array, "Csr", name); });
  require<InvalidStructure>(A.columns.extent(0) == A.values.extent(0), [&] {
    return detail::joined("Csr: columns has ", A.columns.extent(0), " entries, values ", A.values.extent(0));
  });
  auto const rows = static_cast<std::size_t>(A.num_rows);
  if (rows == 0 && A.row_offsets.extent(0) == 0) {
    require<InvalidStructure>(A.nnz() == 0, "Csr: entries, but no rows");
    return false;
  }
  require<InvalidStructure>(A.row_offsets.extent(0) == rows + 1, [&] {
    return detail::joined("Csr: row_offsets has extent ", A.row_offsets.extent(0),
                          ", expected num_rows + 1 = ", rows + 1);
  });
  require<OverflowError>(A.values.extent(0) <= static_cast<std::size_t>(std::numeric_limits<Offset>::max()),
                         [&] {
                           return detail::joined("Csr: ", A.values.extent(0),
                                                 " entries do not fit Offset; int64_t or size_t would do");
                         });
  return true;
}

/// Throws InvalidStructure for the errors of find_errors_on_host().
template <class Matrix>
void require_no_errors(Matrix const& A, std::size_t at, std::size_t entry) {
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  auto const rows = static_cast<std::size_t>(A.num_rows);
  require<InvalidStructure>(at != 0, [&] {
    return detail::joined("Csr: row_offsets(0) is ", read_one(A.row_offsets, 0), ", expected 0");
  });
  require<InvalidStructure>(at != 1, [&] {
    return detail::joined("Csr: row_offsets(", rows, ") is ", read_one(A.row_offsets, rows),
                          ", expected nnz = ", A.nnz());
  });
  require<InvalidStructure>(at == none, [&] {
    return detail::joined("Csr: row_offsets decreases after row ", at - 2, ": ",
                          read_one(A.row_offsets, at - 2), " to ", read_one(A.row_offsets, at - 1));
  });
  require<InvalidStructure>(entry == none, [&] {
    return detail::joined("Csr: entry ", entry, " has column ", read_one(A.columns, entry), ", expected 0 .. ",
                          A.num_cols, " - 1");
  });
}

/// The results of an Inspection.
struct Inspected {
  Fingerprint fingerprint;
  RowOrder order;  // with Inspect::order
};

/// When an Inspection launches its kernel on a GPU: in its constructor, or in start().
enum class InspectionStart { now, later };

/// The pass over the structure of a matrix with which conversions begin. On a GPU it runs between its start and finish(),
/// while the caller allocates and launches kernels. Those must be safe for an invalid structure, or read errors().
/// @tparam more_words  words that kernels of the caller use in the same way
template <Inspect what, class Exec, class Matrix, int more_words = 0>
class Inspection {
 public:
  /// @throws InvalidArgument, InvalidStructure (checks): the extents; OutOfMemory
  Inspection(Exec const& exec, Matrix const& A, Checks checks, InspectionStart when = InspectionStart::now)
      : exec_(exec), A_(A), checks_(are_on(checks)) {
    has_rows_ = checks_ ? require_extents(A) : A.num_rows > 0;
    if constexpr (is_gpu<Exec>) memory_.emplace(exec, static_cast<std::size_t>(num_words));
    if (when == InspectionStart::now) start();
  }

  /// GPU: launches the pass, unless it has started.
  void start() {
    if constexpr (is_gpu<Exec>)
      if (has_rows_ && !is_started_) launch_inspection<what>(exec_, A_, memory_->data());
    is_started_ = true;
  }

  /// For kernels of a GPU that run after the pass.
  [[nodiscard]] InspectionErrors errors() const { return {memory_ ? memory_->data() : nullptr}; }
  /// GPU: more_words words in device memory, zeros at first.
  [[nodiscard]] std::uint64_t* more() const { return memory_->data() + InspectionWords::size; }
  /// GPU, after finish(): what kernels stored there.
  [[nodiscard]] std::uint64_t const* more_on_host() const { return words_.data() + InspectionWords::size; }

  /// Fences exec.
  /// @throws InvalidStructure (checks)
  Inspected finish() {
    start();
    Inspected result{empty_fingerprint(A_), {}};
    if constexpr (is_gpu<Exec>) words_ = memory_->template read<num_words>();
    if (!has_rows_) return result;
    if constexpr (is_gpu<Exec>) {
      using Words = InspectionWords;
      if (checks_) require_no_errors(A_, ~words_[Words::at], ~words_[Words::entry]);
      result.fingerprint.offsets = words_[Words::offsets_hash];
      result.fingerprint.columns = words_[Words::columns_hash];
      result.order = {words_[Words::descents] == 0, words_[Words::equals] != 0};
    } else {
      StructureHash<typename Matrix::offset_type, typename Matrix::ordinal_type> const hash{
          vector_loads(A_.row_offsets), vector_loads(A_.columns)};
      auto const found = hash_on_host("einkorn::validate", exec_, hash, result.fingerprint);
      if (checks_) {
        std::size_t constexpr none = std::numeric_limits<std::size_t>::max();
        std::size_t entry = none, at = none;
        find_errors_on_host(A_, found.decreases, found.largest_column, at, entry);
        require_no_errors(A_, at, entry);
      }
      if constexpr (what == Inspect::order) result.order = row_order(exec_, A_);
    }
    if (A_.num_rows == 0) result.fingerprint.offsets = 0;  // with and without row_offsets
    return result;
  }

 private:
  static constexpr int num_words = InspectionWords::size + more_words;

  Exec exec_;
  Matrix A_;
  bool checks_, has_rows_ = false, is_started_ = false;
  std::optional<ResultMemory<Exec>> memory_;  // GPU
  std::array<std::uint64_t, num_words> words_{};
};

/// The fingerprint of A (fingerprint.hpp). With Checks::on the same pass validates A and throws as validate().
/// Reads row_offsets and columns once, in 1 launch; fences exec.
template <class Exec, class Matrix>
Fingerprint checked_fingerprint(Exec const& exec, Matrix const& A, Checks checks) {
  return Inspection<Inspect::structure, Exec, Matrix>(exec, A, checks).finish().fingerprint;
}

}  // namespace einkorn::detail
