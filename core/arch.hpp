// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

/// Before a host-device function template that may be called on the host with a host-only function object,
/// which nvcc otherwise refuses.
#ifdef __CUDACC__
#define EINKORN_NO_EXECUTION_SPACE_CHECK _Pragma("nv_exec_check_disable")
#else
#define EINKORN_NO_EXECUTION_SPACE_CHECK
#endif

namespace einkorn {

/// The architectures that tuning tables distinguish. Other GPUs are `cuda` or `hip`.
enum class Arch { host, cuda, hopper, hip, mi300 };

namespace detail {

template <class Exec>
struct ArchOf {
  static constexpr Arch value = Arch::host;
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct ArchOf<Kokkos::Cuda> {
#ifdef KOKKOS_ARCH_HOPPER90
  static constexpr Arch value = Arch::hopper;
#else
  static constexpr Arch value = Arch::cuda;
#endif
};
#endif

#ifdef KOKKOS_ENABLE_HIP
template <>
struct ArchOf<Kokkos::HIP> {
#if defined(KOKKOS_ARCH_AMD_GFX942) || defined(KOKKOS_ARCH_AMD_GFX942_APU)
  static constexpr Arch value = Arch::mi300;
#else
  static constexpr Arch value = Arch::hip;
#endif
};
#endif

}  // namespace detail

/// The architecture that an execution space is compiled for.
template <class Exec>
inline constexpr Arch arch_of = detail::ArchOf<std::remove_cv_t<Exec>>::value;

template <class Exec>
inline constexpr bool is_gpu = arch_of<Exec> != Arch::host;

/// Whether this Kokkos has a GPU. Formats and kernels for GPUs only are not compiled without.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
inline constexpr bool has_gpu_backend = true;
#else
inline constexpr bool has_gpu_backend = false;
#endif

/// Entries up to which a matrix is small enough to stay in the second-level cache of a GPU: in CSR, with values in double and
/// 32-bit columns, this many take 50 MB, the cache of an H100 and an H200. AMD uses the same value, not measured.
inline constexpr std::int64_t max_cached_entries = std::int64_t(4) << 20;

/// The number of threads that run in lockstep: 32 in a warp, 64 in a wavefront, 1 on a CPU.
constexpr int lockstep_lanes(Arch arch) {
  switch (arch) {
    case Arch::cuda:
    case Arch::hopper:
      return 32;
    case Arch::hip:
    case Arch::mi300:
      return 64;
    default:
      return 1;
  }
}

}  // namespace einkorn
