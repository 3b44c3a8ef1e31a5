// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/balance/split.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/overlap.hpp>
#include <einkorn/core/range_launch.hpp>
#include <einkorn/formats/csr/convert_values.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace einkorn {

namespace detail {

/// Copies values(k) to its place in `local` or `ghost`: DistributedCsr::ghost_entries.
template <class Values, class Target, class Entries>
struct SplitValues {
  using Scalar = typename Target::non_const_value_type;
  using Offset = typename Entries::non_const_value_type;

  Values values;
  Target local, ghost;
  Entries ghost_entries, ghosts_before;
  std::size_t entries_per_chunk;

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    auto const chunk = k / entries_per_chunk;
    // the first ghost entry that is not below k
    auto const g =
        lower_bound_index(ghost_entries, static_cast<std::size_t>(ghosts_before(chunk)),
                          static_cast<std::size_t>(ghosts_before(chunk + 1)), static_cast<Offset>(k));
    if (g < ghost.extent(0) && static_cast<std::size_t>(ghost_entries(g)) == k)
      ghost(g) = Scalar(values(k));
    else
      local(k - g) = Scalar(values(k));
  }
};

/// The View itself if kernels of Exec can access it, otherwise a copy in the memory of Device.
template <class Device, class Exec, class View>
auto accessible_values(View const& values) {
  if constexpr (AccessibleFrom<View, Exec>) {
    return values;
  } else {
    using Copy = Kokkos::View<typename View::non_const_value_type*, Device>;
    auto const copy =
        allocate<Copy>(typename Copy::execution_space(), "einkorn::update_values: values", values.extent(0));
    Kokkos::deep_copy(copy, values);
    return copy;
  }
}

/// Local and ghost values from those in the order of the caller, without checks.
/// @param values  accessible_values()
template <class Exec, class Matrix, class Values>
void scatter_values(Exec const& exec, Matrix const& A, Values const& values) {
  using Functor = SplitValues<Values, decltype(A.local.values), decltype(A.ghost_entries)>;
  range_for<std::size_t>("einkorn::update_values[distributed_csr]", exec, values.extent(0),
                         Functor{values, A.local.values, A.ghost.values, A.ghost_entries, A.ghosts_before,
                                 Matrix::entries_per_chunk});
}

template <class Matrix, class Values>
void require_values(Matrix const& A, Values const& values, char const* name, std::size_t expected) {
  require<DimensionMismatch>(values.extent(0) == expected, [&] {
    return std::string("update_values: ") + name + " has extent(0) = " + std::to_string(values.extent(0)) +
           ", expected " + std::to_string(expected) + ", the number of entries that A was made of";
  });
  A.visit_arrays([&](char const* array, auto const& view) {
    require<InvalidArgument>(!overlaps(values, view), [&] {
      return std::string("update_values: ") + name + " overlaps " + array + " of A";
    });
  });
}

}  // namespace detail

/// The values of A <- values, for an unchanged structure. Collective.
/// @param values  [A.num_entries()] on the host (contiguous) or where kernels of Exec access it: the values of
/// this rank's rows in the order in which A was made. After distribute_rows() the order of its `values`; after
/// distribute_csr() the order of the global matrix; after distribute_parts() those of `local`, then of `ghost`.
/// Converted to the scalar of A.
/// @throws DimensionMismatch if the length differs, InvalidArgument if values overlaps A: on all ranks, before
/// A changes; names the rank
///
/// Cost: 1 launch; reads values and writes them; 1 all-gather of an int. Asynchronous on exec, except for
/// values on the host that kernels of Exec cannot access, which are copied first.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, Vector Values>
void update_values(Exec const& exec, DistributedCsr<Scalar, Ordinal, Offset, Device> const& A,
                   Values const& values) {
  static_assert(Values::rank() == 1, "einkorn::update_values: values must be a View of rank 1");
  auto const accessible = A.communicator.collectively([&] {
    detail::require_values(A, values, "values", A.num_entries());
    return detail::accessible_values<Device, Exec>(values);
  });
  detail::scatter_values(exec, A, accessible);
  if constexpr (!AccessibleFrom<Values, Exec>) exec.fence("einkorn::update_values: frees the copy of values");
}

/// As above, with the values of A.local and of A.ghost in two Views: the order of distribute_parts().
/// @param local_values  [A.local.nnz()]
/// @param ghost_values  [A.ghost.nnz()]
/// Cost: 2 launches, otherwise as above.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device, Vector LocalValues,
          Vector GhostValues>
void update_values(Exec const& exec, DistributedCsr<Scalar, Ordinal, Offset, Device> const& A,
                   LocalValues const& local_values, GhostValues const& ghost_values) {
  static_assert(LocalValues::rank() == 1 && GhostValues::rank() == 1,
                "einkorn::update_values: local_values and ghost_values must be Views of rank 1");
  auto const accessible = A.communicator.collectively([&] {
    detail::require_values(A, local_values, "local_values", A.local.values.extent(0));
    detail::require_values(A, ghost_values, "ghost_values", A.ghost.values.extent(0));
    return std::pair(detail::accessible_values<Device, Exec>(local_values),
                     detail::accessible_values<Device, Exec>(ghost_values));
  });
  detail::launch_convert_values(exec, accessible.first, A.local.values);
  detail::launch_convert_values(exec, accessible.second, A.ghost.values);
  if constexpr (!AccessibleFrom<LocalValues, Exec> || !AccessibleFrom<GhostValues, Exec>)
    exec.fence("einkorn::update_values: frees the copies of values");
}

}  // namespace einkorn
