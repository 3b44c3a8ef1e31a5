// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/comm/transport.hpp>
#include <einkorn/core/concepts.hpp>
#include <einkorn/formats/csr/scale.hpp>
#include <einkorn/formats/distributed/distributed_csr.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/scaled_system.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace einkorn {

namespace detail {

/// largest <- the largest of all ranks.
template <class Exec, class Largest>
void max_of_ranks(Exec const& exec, Communicator const& comm, Largest const& largest) {
  double result = 0;
  Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(&result, 1);
  Kokkos::deep_copy(exec, host, largest);
  exec.fence("einkorn::make_jacobi_scaled: the largest of this rank");
  for (double const of_rank : comm.all_gather(result)) result = std::max(result, of_rank);
  Kokkos::deep_copy(exec, largest, host);
  exec.fence("einkorn::make_jacobi_scaled: the largest of all ranks");
}

}  // namespace detail

/// Jacobi preconditioning by scaling of a distributed matrix, as make_jacobi_scaled(): S A S or A S.
/// Collective.
///
/// @param transport, to_operator  as make_distributed_operator(); to_operator gets the scaled local part
///
/// CG with this operator sends one message per iteration, pcg() with Jacobi two. V: scalar of the vectors.
/// status() is that of this rank's rows; a solve reports the first failure of all ranks, with its global row.
///
/// @throws as make_jacobi_scaled() and make_distributed_operator(), on all ranks
/// Cost: as make_jacobi_scaled(), and one exchange of the scaling. Fences exec.
template <class V, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device,
          class ToOperator>
auto make_jacobi_scaled(Exec const& exec, DistributedCsr<Scalar, Ordinal, Offset, Device> const& A,
                        std::type_identity_t<std::shared_ptr<Transport<Exec>>> transport, ScaledSides sides,
                        ToOperator const& to_operator) {
  auto const& comm = A.communicator;
  auto const setup = comm.collectively([&] {
    require<InvalidArgument>(transport != nullptr, "make_jacobi_scaled: transport is empty");
    return detail::make_jacobi_scaling(exec, A.local, sides);
  });
  using Scaling = std::decay_t<decltype(setup.scaling)>;
  using Real = typename Scaling::non_const_value_type;
  using Ghosts = Kokkos::View<Real const*, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  detail::max_of_ranks(exec, comm, setup.largest);
  auto const halo = transport->open_halo(exec, A.halo.messages, sizeof(Real));
  detail::pack_rows(halo->pack_instance(exec), setup.scaling, A.send_rows,
                    static_cast<Real*>(halo->send_buffer()));
  halo->start(exec);
  halo->finish(exec);
  auto scaled = comm.collectively([&] { return A; });
  comm.collectively([&] {
    Scaling left, left_of_ghost;
    if (sides == ScaledSides::both) {
      left = setup.scaling;
      left_of_ghost = allocate<Scaling>(exec, "einkorn::ScaledOperator::boundary", A.boundary_rows.extent(0));
      detail::pack_rows(exec, setup.scaling, A.boundary_rows, left_of_ghost.data());
    }
    scaled.local = scale_rows_and_columns(exec, left, A.local, setup.scaling);
    scaled.ghost = scale_rows_and_columns(
        exec, left_of_ghost, A.ghost,
        Ghosts(static_cast<Real const*>(halo->ghost_buffer()), static_cast<std::size_t>(A.num_ghosts())));
    exec.fence("einkorn::make_jacobi_scaled: the scaled matrix is complete");
  });
  auto op = make_distributed_operator<V>(exec, scaled, std::move(transport), to_operator);
  return ScaledOperator<std::decay_t<decltype(op)>, Scaling>(std::move(op), setup.scaling, setup.largest, sides,
                                                             setup.status);
}

/// The same with the local part as a Csr.
template <class V, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
auto make_jacobi_scaled(Exec const& exec, DistributedCsr<Scalar, Ordinal, Offset, Device> const& A,
                        std::type_identity_t<std::shared_ptr<Transport<Exec>>> transport, ScaledSides sides) {
  return make_jacobi_scaled<V>(exec, A, std::move(transport), sides,
                               [&](auto const& local) { return make_operator<V>(exec, local); });
}

}  // namespace einkorn
