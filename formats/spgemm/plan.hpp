// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/fingerprint.hpp>
#include <einkorn/formats/spgemm/detail/state.hpp>
#include <einkorn/formats/spgemm/options.hpp>

#include <Kokkos_Core.hpp>

#include <utility>

namespace einkorn {

/// The pattern of C = A B and the data of the numeric phase. Made by spgemm_symbolic() for one A and one B;
/// used by spgemm_numeric() for these or for matrices of the same structure. Every C made with it shares its
/// row_offsets and columns. Copies share the data. Supports one call at a time.
/// @tparam teams_on_host  true if made with SpgemmTeamOptions on the host
template <class Scalar, class Ordinal, class Offset, class Device, bool teams_on_host = false>
class SpgemmPlan {
 public:
  using scalar_type = Scalar;
  using ordinal_type = Ordinal;
  using offset_type = Offset;
  using device_type = Device;
  using memory_space = typename Device::memory_space;
  using State = detail::SpgemmState<Scalar, Ordinal, Offset, Device, teams_on_host>;

  explicit SpgemmPlan(detail::SpgemmState<Scalar, Ordinal, Offset, Device, teams_on_host> state)
      : state_(std::move(state)) {}

  [[nodiscard]] Ordinal num_rows() const { return state_.num_rows; }
  [[nodiscard]] Ordinal num_cols() const { return state_.num_cols; }
  /// Entries of C, including those whose sum cancels to zero.
  [[nodiscard]] Offset nnz() const { return static_cast<Offset>(state_.columns.extent(0)); }
  [[nodiscard]] Kokkos::View<Offset const*, Device> row_offsets() const { return state_.row_offsets; }
  [[nodiscard]] Kokkos::View<Ordinal const*, Device> columns() const { return state_.columns; }
  [[nodiscard]] SpgemmOptions const& options() const { return state_.options; }
  [[nodiscard]] SpgemmReport const& report() const { return state_.report; }
  /// Fingerprints of the A and the B that the plan was made for.
  [[nodiscard]] Fingerprint const& left() const { return state_.left; }
  [[nodiscard]] Fingerprint const& right() const { return state_.right; }
  /// Internal data of spgemm_numeric().
  [[nodiscard]] State const& state() const { return state_; }
  /// Guard of spgemm_numeric() against concurrent calls.
  [[nodiscard]] detail::OneCallAtATime const& one_call() const { return one_call_; }

 private:
  State state_;
  detail::OneCallAtATime one_call_ = detail::OneCallAtATime::checked();
};

}  // namespace einkorn
