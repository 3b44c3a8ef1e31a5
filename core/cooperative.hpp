// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/detail/cooperative_device.hpp>
#include <einkorn/core/detail/cooperative_host.hpp>
#include <einkorn/core/detail/device_error.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/function_ref.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace einkorn {

/// Cooperative launches: one kernel runs many dependent passes, such as a whole Krylov solve. All its threads
/// are resident at the same time and synchronize between passes at a barrier that also sums numbers over all
/// threads, in a fixed order, and returns the totals to every thread.

/// Resources of a cooperative launch on a GPU.
struct CooperativeScratch {
  std::size_t scratch_bytes = 0;  // per block
  int blocks = 0;                 // 0: as many as are resident together; otherwise exactly so many, or Error
};

/// Launch bounds of a cooperative kernel on a GPU. 1024 x 1: the fewest blocks for a barrier to wait for, and
/// 64 registers per thread (analytical, not measured).
struct CooperativeShape {
  int threads = 1024;                 // per block; a multiple of the lockstep lanes, at most 1024
  int blocks_per_multiprocessor = 1;  // for which registers must suffice
};

namespace detail {

/// The functions of an execution space that cooperative launches use.
template <class Exec>
struct CooperativeRuntime {
  static constexpr bool exists = false;
};

#ifdef KOKKOS_ENABLE_SERIAL
template <>
struct CooperativeRuntime<Kokkos::Serial> {
  static constexpr bool exists = true;
  static bool is_inside_parallel() { return false; }
  static int threads_of_region() { return 1; }
};
#endif

#ifdef KOKKOS_ENABLE_OPENMP
template <>
struct CooperativeRuntime<Kokkos::OpenMP> {
  static constexpr bool exists = true;
  static bool is_inside_parallel() { return omp_in_parallel() != 0; }
  static int threads_of_region() { return omp_get_num_threads(); }
};
#endif

#ifdef KOKKOS_ENABLE_CUDA
template <>
struct CooperativeRuntime<Kokkos::Cuda> {
  static constexpr bool exists = true;
  static int multiprocessors(Kokkos::Cuda const& exec) { return exec.cuda_device_prop().multiProcessorCount; }
  /// The maximal scratch of a block in bytes.
  static std::size_t max_scratch(Kokkos::Cuda const& exec) {
    return exec.cuda_device_prop().sharedMemPerBlockOptin - sizeof(CooperativeBlock);
  }
  /// The number of blocks that are resident on a multiprocessor at the same time.
  static int resident_blocks(Kokkos::Cuda const& exec, void const* kernel, int threads, std::size_t scratch) {
    require_success(cudaSetDevice(exec.cuda_device()), "cooperative launch");
    if (scratch > 0)
      require_success(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch)),
          "cooperative launch");
    int blocks = 0;
    require_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, scratch),
                    "cooperative launch");
    return blocks;
  }
  static void launch(Kokkos::Cuda const& exec, void const* kernel, int blocks, int threads, std::size_t scratch,
                     void** arguments) {
    require_success(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                                dim3(static_cast<unsigned>(threads)), arguments, scratch,
                                                exec.cuda_stream()),
                    "cooperative launch");
  }
};
#endif

#ifdef KOKKOS_ENABLE_HIP
template <>
struct CooperativeRuntime<Kokkos::HIP> {
  static constexpr bool exists = true;
  static int multiprocessors(Kokkos::HIP const& exec) { return exec.hip_device_prop().multiProcessorCount; }
  static std::size_t max_scratch(Kokkos::HIP const& exec) {
    return exec.hip_device_prop().sharedMemPerBlock - sizeof(CooperativeBlock);
  }
  static int resident_blocks(Kokkos::HIP const& exec, void const* kernel, int threads, std::size_t scratch) {
    require_success(hipSetDevice(exec.hip_device()), "cooperative launch");
    if (scratch > 0)
      require_success(
          hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch)),
          "cooperative launch");
    int blocks = 0;
    require_success(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, scratch),
                    "cooperative launch");
    return blocks;
  }
  static void launch(Kokkos::HIP const& exec, void const* kernel, int blocks, int threads, std::size_t scratch,
                     void** arguments) {
    require_success(
        hipLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                   dim3(static_cast<unsigned>(threads)), arguments, scratch, exec.hip_stream()),
        "cooperative launch");
  }
};
#endif

}  // namespace detail

/// True if kernels on the execution space can synchronize all their threads: Cuda, HIP, OpenMP, Serial.
template <class Exec>
inline constexpr bool is_cooperative = detail::CooperativeRuntime<Exec>::exists;

/// The workspace of cooperative launches, in which threads exchange sums. Reusable by launches of any shape and
/// functor, one at a time: concurrent launches on different streams need one each. Copies share the memory.
template <class Exec>
class CooperativeSpace : public std::conditional_t<is_gpu<Exec>, detail::DeviceCooperativeSpace<Exec>,
                                                   detail::HostCooperativeSpace> {
  using Base =
      std::conditional_t<is_gpu<Exec>, detail::DeviceCooperativeSpace<Exec>, detail::HostCooperativeSpace>;

 public:
  /// @param max_blocks the maximal number of blocks of a launch (host: threads). The barrier of a single block
  /// does not leave its multiprocessor.
  /// @throws OutOfMemory
  ///
  /// bytes(): GPU 256 per block, for at most 1024 blocks and 4 per multiprocessor; host 64 for each of
  /// host_parts(exec), and sizeof(detail::HostBarrier).
  explicit CooperativeSpace(Exec const& exec, int max_blocks = std::numeric_limits<int>::max())
      : Base(make(exec, max_blocks)) {}
  /// GPU: launches of several ranks as one (sum_relaxed() only).
  explicit CooperativeSpace(detail::CooperativeSlots const& slots)
  requires is_gpu<Exec>
      : Base(slots) {}

 private:
  static Base make(Exec const& exec, int max_blocks) {
    static_assert(is_cooperative<Exec>,
                  "einkorn: kernels on this execution space cannot synchronize all their threads");
    if constexpr (is_gpu<Exec>)
      return Base(exec, detail::CooperativeRuntime<Exec>::multiprocessors(exec), max_blocks);
    else
      return Base(static_cast<int>(exec.concurrency()), max_blocks);
  }
};

/// A thread of a cooperative launch. sync() and the sums are collective: every thread must call them, in the
/// same order.
///
///     int rank(), size()                 rank and number of threads: blocks x threads on a GPU; host threads
///     void sync()                        barrier; earlier writes of all threads are visible afterwards
///     void sum_all(double (&sums)[k])    replaces numbers by totals; k = 1 .. 8; a sync()
///
/// sum_all takes an optional last argument step(totals). One thread (on a GPU one per block) runs it before the
/// barrier ends, so that its writes to state() are visible to all.
///
///     T& state<T>()                      up to 512 bytes that steps write and all threads read; uninitialized;
///                                        one on the host, one per block on a GPU, where all steps get the same
///                                        totals
///     bool is_leader()                   in a step: true in one block of the launch; true on the host
///
/// GPU only:
///
///     int block(), rank_in_block(), threads_of_block()
///     void sync_block()                  barrier of the block
///     unsigned char* scratch()           CooperativeScratch::scratch_bytes per block, aligned to 16
///     void sum_relaxed(sums, step)       as sum_all() without most of the time of a sync(): only the step gets
///                                        the totals, and earlier writes are visible to the own block only
///     std::uint32_t epoch()              number of barriers so far: a barrier changes it; never 0 afterwards
///
/// Host only:
///
///     void sum_parts(n, body, total, step)  body(part, sums) adds to sums; total: over all parts; a sync()
///
/// All threads get the same bits of a total, and the same bits in every run with the same number of threads.
/// sum_parts divides the parts into host_parts chunks; up to 16 threads steal chunks of others after their own
/// (run_work_queues()), and the sums of chunks are added in the order of the chunks. A host thread has no fixed
/// parts: it must not keep data from one loop to the next.
///
/// @pre Data that the launch writes is not read by the launch through the read-only cache of a GPU
/// (Lanes::load, Views with the RandomAccess trait), which is not coherent.
template <class Exec>
class CooperativeMember : public std::conditional_t<is_gpu<Exec>, detail::DeviceCooperativeMember<Exec>,
                                                    detail::HostCooperativeMember> {
  using Base =
      std::conditional_t<is_gpu<Exec>, detail::DeviceCooperativeMember<Exec>, detail::HostCooperativeMember>;

 public:
  using Base::Base;
};

/// The maximal scratch of a block of a cooperative launch in bytes; 0 on the host.
template <class Exec>
std::size_t max_cooperative_scratch([[maybe_unused]] Exec const& exec) {
  if constexpr (is_gpu<Exec>)
    return detail::CooperativeRuntime<Exec>::max_scratch(exec);
  else
    return 0;
}

/// The number of multiprocessors of the device; 1 on the host.
template <class Exec>
int num_multiprocessors([[maybe_unused]] Exec const& exec) {
  if constexpr (is_gpu<Exec>)
    return detail::CooperativeRuntime<Exec>::multiprocessors(exec);
  else
    return 1;
}

namespace detail {

template <CooperativeShape shape, class Exec, class Functor>
void launch_on_device(Exec const& exec, CooperativeSlots slots, Functor const& functor,
                      CooperativeScratch const& resources);

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <int threads, int blocks_per_multiprocessor, class Exec, class Functor>
__global__ __launch_bounds__(threads,
                             blocks_per_multiprocessor) void cooperative_kernel(Functor const functor,
                                                                                CooperativeSlots const slots) {
  __shared__ CooperativeBlock shared;
  extern __shared__ __align__(16) unsigned char cooperative_scratch[];
  CooperativeMember<Exec> member(slots, shared, cooperative_scratch, static_cast<int>(threadIdx.x), threads,
                                 static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  functor(member);
  member.finish();
}

template <CooperativeShape shape, class Exec, class Functor>
void launch_on_device(Exec const& exec, CooperativeSlots slots, Functor const& functor,
                      CooperativeScratch const& resources) {
  static_assert(sizeof(Functor) + sizeof(CooperativeSlots) <= 4096,
                "einkorn: the functor of a cooperative launch is a kernel argument, of at most 4 KB");
  static_assert(shape.threads % lockstep_lanes(arch_of<Exec>) == 0 && shape.threads <= 1024);
  using Runtime = CooperativeRuntime<Exec>;
  auto* const kernel = reinterpret_cast<void const*>(
      &cooperative_kernel<shape.threads, shape.blocks_per_multiprocessor, Exec, Functor>);
  int const resident = std::min(
      slots.blocks, Runtime::multiprocessors(exec) *
                        Runtime::resident_blocks(exec, kernel, shape.threads, resources.scratch_bytes));
  require<Error>(resident > 0, "cooperative launch: a block of this kernel does not fit on a multiprocessor");
  require<Error>(resources.blocks <= resident, [&] {
    return detail::joined("cooperative launch: ", resources.blocks, " blocks requested, ", resident,
                          " can be resident");
  });
  void* arguments[] = {const_cast<Functor*>(&functor), &slots};
  Runtime::launch(exec, kernel, resources.blocks > 0 ? resources.blocks : resident, shape.threads,
                  resources.scratch_bytes, arguments);
}
#endif

/// The work of one host thread. The runtime may start fewer threads than requested (limits, dynamic
/// adjustment); a barrier of `size` indices would then deadlock, so that index 0 does all the work.
template <class Exec>
struct CooperativeHostThread {
  HostBarrier* barrier;
  HostSums* sums;
  int size;
  FunctionRef<void(CooperativeMember<Exec>&)> functor;

  void operator()(int rank) const {
    bool const has_all_threads = CooperativeRuntime<Exec>::threads_of_region() >= size;
    if (!has_all_threads && rank > 0) return;
    CooperativeMember<Exec> member(barrier, sums, rank, has_all_threads ? size : 1);
    functor(member);
  }
};

}  // namespace detail

/// Runs functor(member) in all threads concurrently. GPU: as many blocks as can be resident together, at most
/// max_blocks of the workspace, or resources.blocks. Host: exec.concurrency() threads, at most those of the
/// workspace; one thread inside another parallel region.
/// @param functor `operator()(CooperativeMember<Exec>&) const`, a KOKKOS_FUNCTION, of at most 4 KB on a GPU
/// @throws Error if the device cannot launch the kernel
///
/// 1 launch, asynchronous if the execution space is. Kokkos Tools see a region with the label on a GPU, a
/// parallel_for on the host.
template <CooperativeShape shape = CooperativeShape{}, class Exec, class Functor>
void launch_cooperative(Exec const& exec, char const* label, CooperativeSpace<Exec>& space,
                        Functor const& functor, [[maybe_unused]] CooperativeScratch const& resources = {}) {
  static_assert(is_cooperative<Exec>,
                "einkorn: kernels on this execution space cannot synchronize all their threads");
  ScopedRegion const region(label);
  if constexpr (is_gpu<Exec>) {
    detail::launch_on_device<shape>(exec, space.slots(), functor, resources);
  } else {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
    using Threads = detail::CooperativeHostThread<Exec>;
    *space.barrier() = {};
    int const size = std::min(static_cast<int>(exec.concurrency()), space.threads());
    if (detail::CooperativeRuntime<Exec>::is_inside_parallel())  // where Kokkos may reject a nested loop
      Threads{space.barrier(), space.sums(), 1, functor}(0);
    else
      Kokkos::parallel_for(label, Policy(exec, 0, size, Kokkos::ChunkSize(1)),
                           Threads{space.barrier(), space.sums(), size, functor});
  }
}

}  // namespace einkorn
