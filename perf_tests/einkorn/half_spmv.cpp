// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/candidates.hpp"
#include "support/counts.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/scan.hpp>
#include <einkorn/formats/csr/expand_symmetric.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace einkorn::perf {

namespace {

template <class Ordinal>
using Rows = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>;

/// offsets(row) <- number of entries of the row up to the diagonal.
template <class Full, class Offsets>
struct CountLower {
  Full A;
  Offsets offsets;
  template <class Ordinal>
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    typename Offsets::non_const_value_type count = 0;
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k)
      if (A.columns(k) <= row) ++count;
    offsets(row) = count;
  }
};
template <class Full>
struct CopyLower {
  Full A;
  decltype(Full::row_offsets) offsets;
  typename decltype(Full::columns)::non_const_type columns;
  decltype(Full::values) values;
  template <class Ordinal>
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    auto to = offsets(row);
    for (auto k = A.row_begin(row); k < A.row_end(row); ++k) {
      if (A.columns(k) > row) continue;
      columns(to) = A.columns(k);
      values(to) = A.values(k);
      ++to;
    }
  }
};
template <class A, class B>
struct CountDifferences {
  A a;
  B b;
  KOKKOS_FUNCTION void operator()(std::size_t k, std::size_t& different) const {
    if (a.columns(k) != b.columns(k) || a.values(k) != b.values(k)) ++different;
  }
};

/// y += (L + strict(L)^T) x, one thread per row.
template <class Half, class X, class Y>
struct MultiplyHalf {
  Half half;
  X x;
  Y y;
  template <class Ordinal>
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    auto const x_row = x(row);
    typename Y::non_const_value_type sum = 0;
    for (auto k = half.row_begin(row); k < half.row_end(row); ++k) {
      auto const column = half.columns(k);
      auto const value = half.values(k);
      sum += value * x(column);
      if (column != row) Kokkos::atomic_add(&y(column), value * x_row);
    }
    Kokkos::atomic_add(&y(row), sum);
  }
};

template <class Full>
Full lower_half(Exec const& exec, Full const& A) {
  using Offsets = decltype(Full::row_offsets);
  using Ordinal = std::decay_t<decltype(A.num_rows)>;
  typename Offsets::non_const_type const offsets("einkorn::perf::half",
                                                 static_cast<std::size_t>(A.num_rows) + 1);
  Kokkos::parallel_for("einkorn::perf::half[count]", Rows<Ordinal>(exec, 0, A.num_rows),
                       CountLower<Full, typename Offsets::non_const_type>{A, offsets});
  auto const nnz = static_cast<std::size_t>(counts_to_offsets(exec, offsets));
  auto const columns =
      allocate<typename decltype(Full::columns)::non_const_type>(exec, "einkorn::perf::half_columns", nnz);
  auto const values = allocate<decltype(Full::values)>(exec, "einkorn::perf::half_values", nnz);
  Kokkos::parallel_for("einkorn::perf::half[copy]", Rows<Ordinal>(exec, 0, A.num_rows),
                       CopyLower<Full>{A, offsets, columns, values});
  return {A.num_rows, A.num_cols, offsets, columns, values};
}

}  // namespace

template <class Scalar, class Ordinal, class Offset>
void add_half(Problem<Scalar, Ordinal, Offset> const& problem, Selection const& selection, Candidates& rows) {
  auto const& algorithms = selection.algorithms;
  if (std::find(algorithms.begin(), algorithms.end(), "half_atomic") == algorithms.end()) return;
  if (!selection.wants("csr", "half_atomic")) return;
  Candidate row;
  row.format = "csr";
  row.algorithm = "half_atomic";
  if constexpr (!std::is_same_v<Scalar, double> || sizeof(Ordinal) != 4) {
    row.refusal = "half_atomic is available for double, int32 only";
    rows.push_back(row);
  } else {
    using Full = std::decay_t<decltype(problem.A)>;
    Exec const exec = problem.exec;
    Full const A = problem.A;
    Full half;
    rows.push_back(build_row(row, [&](Candidate& built) {
      require<InvalidArgument>(A.num_rows == A.num_cols, "half_atomic: the matrix is not square");
      half = lower_half(exec, A);
      auto const full = expand_symmetric(exec, half);
      std::size_t different = A.values.extent(0) == full.values.extent(0) ? 0 : 1;
      if (different == 0)
        Kokkos::parallel_reduce(
            "einkorn::perf::half[compare]",
            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, A.values.extent(0)),
            CountDifferences<Full, std::decay_t<decltype(full)>>{A, full}, different);
      require<InvalidArgument>(different == 0,
                               "half_atomic: the matrix is not symmetric or its rows are not sorted");
      built.bytes = csr_bytes(counts_of(half));
      built.run = [problem, half] {
        using Kernel = MultiplyHalf<Full, std::decay_t<decltype(problem.x)>, std::decay_t<decltype(problem.y)>>;
        Kokkos::deep_copy(problem.exec, problem.y, Scalar(0));
        Kokkos::parallel_for("einkorn::perf::half_atomic", Rows<Ordinal>(problem.exec, 0, half.num_rows),
                             Kernel{half, problem.x, problem.y});
      };
    }));
    if (!rows.back().run) return;

    Candidate conversion;
    conversion.operation = "conversion";
    conversion.format = "csr";
    conversion.algorithm = "expand_symmetric";
    conversion.bytes = csr_bytes(counts_of(half)) + csr_bytes(counts_of(A)) - 2 * vector_bytes(counts_of(A));
    time_making(conversion, [exec, half] {
      ExpandSymmetricOptions options;
      options.checks = Checks::off;
      return expand_symmetric(exec, half, options);
    });
    rows.push_back(conversion);
  }
}

template void add_half(Problem<double, int, int> const&, Selection const&, Candidates&);
template void add_half(Problem<float, int, int> const&, Selection const&, Candidates&);
template void add_half(Problem<Kokkos::complex<double>, int, int> const&, Selection const&, Candidates&);
template void add_half(Problem<double, std::int64_t, std::size_t> const&, Selection const&, Candidates&);

}  // namespace einkorn::perf
