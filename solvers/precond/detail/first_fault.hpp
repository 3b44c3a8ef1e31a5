// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/solvers/report.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace einkorn::detail {

/// The fault that SetupStatus reports, of those that many threads report: a minimum of integers, so it is
/// deterministic.
template <class Device>
class FirstFault {
 public:
  FirstFault() = default;
  /// Allocates 8 bytes.
  template <class Exec>
  explicit FirstFault(Exec const& exec)
      : lowest_(allocate<Kokkos::View<std::uint64_t*, Device>>(exec, "einkorn::FirstFault", 1)) {}

  template <class Exec>
  void reset(Exec const& exec) const {
    fill_vector(exec, lowest_, none);
  }
  KOKKOS_FUNCTION void report(Outcome outcome, std::int64_t row) const {
    std::uint64_t const code = outcome == Outcome::zero_pivot ? 0 : outcome == Outcome::non_finite ? 1 : 2;
    std::uint64_t const weight = code == 2 ? 1 : 0;
    Kokkos::atomic_min(&lowest_(0), weight << 62 | static_cast<std::uint64_t>(row) << 2 | code);
  }
  /// Fences exec.
  template <class Exec>
  [[nodiscard]] SetupStatus status(Exec const& exec) const {
    std::uint64_t lowest = none;
    copy_vector(exec, Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&lowest, 1),
                lowest_);
    exec.fence("einkorn::FirstFault: status");
    if (lowest == none) return {};
    constexpr Outcome outcomes[] = {Outcome::zero_pivot, Outcome::non_finite,
                                    Outcome::indefinite_preconditioner};
    return {outcomes[lowest & 3], static_cast<std::int64_t>((lowest & ~(std::uint64_t(1) << 62)) >> 2)};
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t(0);
  Kokkos::View<std::uint64_t*, Device> lowest_;  // [1]: weight in bit 62, row in bits 2 .. 61, code in 0 .. 1
};

}  // namespace einkorn::detail
