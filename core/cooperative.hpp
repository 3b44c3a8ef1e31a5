// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/arch.hpp>
#include <einkorn/core/detail/cooperative_device.hpp>
#include <einkorn/core/detail/cooperative_host.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/function_ref.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace einkorn {

/// One kernel that stays on the machine for many dependent sweeps (a whole Krylov solve): all its threads are
/// resident together, and between sweeps they meet at a barrier that also sums numbers over all of them, always
/// in the same order, and gives every thread the totals.

/// Room that a block of a launch on a GPU has beside its registers, and how many blocks there are: 0, as many
/// as are resident together; else so many, or the launch is refused.
struct CooperativeScratch {
  std::size_t scratch_bytes = 0;
  int blocks = 0;
};

/// How a GPU is filled: threads of a block, a multiple of the lockstep lanes and at most 1024, and how many
/// blocks a multiprocessor has to have registers for. 1024 x 1: the fewest blocks for a barrier to wait for;
/// leaves 64 registers a thread (analytical, not measured).
struct CooperativeShape {
  int threads = 1024;
  int blocks_per_multiprocessor = 1;
};

namespace detail {

/// What the cooperative launches of an execution space ask it for.
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
  /// Bytes of scratch that a block can be given.
  static std::size_t max_scratch(Kokkos::Cuda const& exec) {
    return exec.cuda_device_prop().sharedMemPerBlockOptin - sizeof(CooperativeBlock);
  }
  /// Blocks that fit on a multiprocessor together.
  static int resident_blocks(Kokkos::Cuda const& exec, void const* kernel, int threads, std::size_t scratch) {
    check(cudaSetDevice(exec.cuda_device()));
    if (scratch > 0)
      check(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch)));
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, scratch));
    return blocks;
  }
  static void launch(Kokkos::Cuda const& exec, void const* kernel, int blocks, int threads, std::size_t scratch,
                     void** arguments) {
    check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                      dim3(static_cast<unsigned>(threads)), arguments, scratch,
                                      exec.cuda_stream()));
  }
  static void check(cudaError_t error) {
    require<Error>(error == cudaSuccess,
                   [&] { return std::string("cooperative launch: ") + cudaGetErrorString(error); });
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
    check(hipSetDevice(exec.hip_device()));
    if (scratch > 0)
      check(hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(scratch)));
    int blocks = 0;
    check(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, scratch));
    return blocks;
  }
  static void launch(Kokkos::HIP const& exec, void const* kernel, int blocks, int threads, std::size_t scratch,
                     void** arguments) {
    check(hipLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                     dim3(static_cast<unsigned>(threads)), arguments, scratch,
                                     exec.hip_stream()));
  }
  static void check(hipError_t error) {
    require<Error>(error == hipSuccess,
                   [&] { return std::string("cooperative launch: ") + hipGetErrorString(error); });
  }
};
#endif

}  // namespace detail

/// Can threads of this execution space meet within a kernel? Cuda, HIP, OpenMP, Serial.
template <class Exec>
inline constexpr bool is_cooperative = detail::CooperativeRuntime<Exec>::exists;

/// Where the threads of cooperative launches leave numbers for each other. Made once, reused by any number of
/// launches of any shape and functor, one at a time (launches in different streams need spaces of their own).
/// Copies share the memory.
template <class Exec>
class CooperativeSpace : public std::conditional_t<is_gpu<Exec>, detail::DeviceCooperativeSpace<Exec>,
                                                   detail::HostCooperativeSpace> {
  using Base =
      std::conditional_t<is_gpu<Exec>, detail::DeviceCooperativeSpace<Exec>, detail::HostCooperativeSpace>;

 public:
  /// max_blocks: most blocks of a launch; on the host, most threads. The barrier of a single block does not
  /// leave its multiprocessor.
  /// bytes(): GPU 256 a block, at most 4 blocks a multiprocessor and 1024; host 64 for each of
  /// host_parts(exec), and 256. Throws OutOfMemory.
  explicit CooperativeSpace(Exec const& exec, int max_blocks = std::numeric_limits<int>::max())
      : Base(make(exec, max_blocks)) {}

 private:
  static Base make(Exec const& exec, int max_blocks) {
    static_assert(is_cooperative<Exec>, "einkorn: threads of this execution space cannot meet within a kernel");
    if constexpr (is_gpu<Exec>)
      return Base(exec, detail::CooperativeRuntime<Exec>::multiprocessors(exec), max_blocks);
    else
      return Base(static_cast<int>(exec.concurrency()), max_blocks);
  }
};

/// A thread of a cooperative launch. Where all threads meet (sync and the sums), every thread has to come, and
/// as often as every other.
///
///     int rank(), size()                 this thread among all: blocks x threads; threads of the host
///     void sync()                        what any thread wrote before is seen by all after
///     void sum_all(double (&sums)[k])    in: this thread's numbers, out: totals; k = 1 .. 8. Is a sync()
///     void for_each_part(n, body)        body(part) for part 0 .. n-1
///     void for_each_team(league_size, team_size, body)
///                                        body(team) for each of the team_size threads of league_size teams
///     void sum_parts(n, body, total)     body(part, sums) adds to sums; total: over all parts. Is a sync()
///     void sum_teams(league_size, team_size, body, total)        body(team, sums), as above
///
/// sum_all, sum_parts and sum_teams take a last argument besides, step(totals): one thread (on a GPU one of
/// each block) runs it before the barrier lets anybody go on, so that what it writes to state() is seen by all.
///
///     T& state<T>()                      memory that the step may write and all read, of up to 512 bytes; not
///                                        initialised: one on the host, one of each block on a GPU, where all
///                                        steps see the same totals
///     bool speaks()                      in a step: whether it is the one to tell others
///
/// On a GPU only:
///
///     int block(), rank_in_block(), threads_of_block()
///     void sync_block()                  the threads of the block meet
///     unsigned char* scratch()           the block's own: CooperativeScratch::scratch_bytes, aligned to 16
///     void sum_relaxed(sums, step)       as sum_all(), but no sync(), which takes most of its time: only the
///                                        step sees the totals, and what threads wrote before is seen by their
///                                        own block alone
///     std::uint32_t epoch()              how often threads have met: differs before and after, never 0 after
///
/// team has league_rank(), league_size(), team_rank(), team_size(). On a GPU team_size is a multiple of the
/// lockstep lanes and divides the block: a team is team_size neighbouring threads, and all lanes of a warp go
/// through a body together, so that they may shuffle. On the host one thread takes the ranks of a team in turn.
///
/// Loops do not end with a barrier. Totals are the same bits in every thread, and the same on every run with
/// the same number of threads. On a GPU parts and teams are strided over the threads. On the host they are
/// taken in host_parts pieces, a thread its own before it helps others (up to 16 threads: run_work_queues()),
/// and the sums of pieces are added in their order, not in the order in which threads finish: use sum_parts
/// there, not for_each_part with sum_all. A thread of the host has no fixed parts: between loops it must not
/// keep anything.
///
/// What a launch writes must not be read in it through the read-only path of a GPU (Lanes::load, views with the
/// RandomAccess trait): that cache is not told of the writes.
template <class Exec>
class CooperativeMember : public std::conditional_t<is_gpu<Exec>, detail::DeviceCooperativeMember<Exec>,
                                                    detail::HostCooperativeMember> {
  using Base =
      std::conditional_t<is_gpu<Exec>, detail::DeviceCooperativeMember<Exec>, detail::HostCooperativeMember>;

 public:
  using Base::Base;
};

/// Bytes of scratch that a block of a cooperative launch can have; 0 on the host.
template <class Exec>
std::size_t max_cooperative_scratch([[maybe_unused]] Exec const& exec) {
  if constexpr (is_gpu<Exec>)
    return detail::CooperativeRuntime<Exec>::max_scratch(exec);
  else
    return 0;
}
/// Blocks of which each has a multiprocessor to itself; 1 on the host.
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
                      CooperativeScratch const& room);

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
  member.leave();
}

template <CooperativeShape shape, class Exec, class Functor>
void launch_on_device(Exec const& exec, CooperativeSlots slots, Functor const& functor,
                      CooperativeScratch const& room) {
  static_assert(sizeof(Functor) + sizeof(CooperativeSlots) <= 4096,
                "einkorn: the functor of a cooperative launch is a kernel argument, of at most 4 KB");
  static_assert(shape.threads % lockstep_lanes(arch_of<Exec>) == 0 && shape.threads <= 1024);
  using Runtime = CooperativeRuntime<Exec>;
  auto* const kernel = reinterpret_cast<void const*>(
      &cooperative_kernel<shape.threads, shape.blocks_per_multiprocessor, Exec, Functor>);
  int const resident =
      std::min(slots.blocks, Runtime::multiprocessors(exec) *
                                 Runtime::resident_blocks(exec, kernel, shape.threads, room.scratch_bytes));
  require<Error>(resident > 0, "cooperative launch: no block of this kernel fits on a multiprocessor");
  require<Error>(room.blocks <= resident, [&] {
    return "cooperative launch: " + std::to_string(room.blocks) + " blocks are asked for, " +
           std::to_string(resident) + " fit";
  });
  void* arguments[] = {const_cast<Functor*>(&functor), &slots};
  Runtime::launch(exec, kernel, room.blocks > 0 ? room.blocks : resident, shape.threads, room.scratch_bytes,
                  arguments);
}
#endif

/// One index for each thread. A runtime may give a loop fewer threads than were asked for (limits, dynamic
/// adjustment); they could not meet, as one would have to run two indices: then index 0 does all by itself.
template <class Exec>
struct CooperativeHostThread {
  HostMeeting* meeting;
  HostSums* sums;
  int size;
  FunctionRef<void(CooperativeMember<Exec>&)> functor;

  void operator()(int rank) const {
    bool const all_are_here = CooperativeRuntime<Exec>::threads_of_region() >= size;
    if (!all_are_here && rank > 0) return;
    CooperativeMember<Exec> member(meeting, sums, rank, all_are_here ? size : 1);
    functor(member);
  }
};

}  // namespace detail

/// functor(member) in all threads at once, member a CooperativeMember<Exec>&:
/// `operator()(CooperativeMember<Exec>&) const`, a KOKKOS_FUNCTION. One launch, asynchronous on exec as far as
/// the space is. GPU: as many blocks as are resident together (all that the occupancy allows), at most the
/// max_blocks of the space, with the scratch that `room` gives each. Host: exec.concurrency() threads, at most
/// those of the space; one inside another parallel region.
///
/// Kokkos Tools see a region of that label on a GPU, a parallel_for on the host. Throws Error when the device
/// refuses the launch.
template <CooperativeShape shape = CooperativeShape{}, class Exec, class Functor>
void launch_cooperative(Exec const& exec, std::string const& label, CooperativeSpace<Exec>& space,
                        Functor const& functor, [[maybe_unused]] CooperativeScratch const& room = {}) {
  static_assert(is_cooperative<Exec>, "einkorn: threads of this execution space cannot meet within a kernel");
  Kokkos::Profiling::ScopedRegion region(label);
  if constexpr (is_gpu<Exec>) {
    detail::launch_on_device<shape>(exec, space.slots(), functor, room);
  } else {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
    using Threads = detail::CooperativeHostThread<Exec>;
    *space.meeting() = {};
    int const size = std::min(static_cast<int>(exec.concurrency()), space.threads());
    if (detail::CooperativeRuntime<Exec>::is_inside_parallel())  // where Kokkos may refuse a loop
      Threads{space.meeting(), space.sums(), 1, functor}(0);
    else
      Kokkos::parallel_for(label, Policy(exec, 0, size, Kokkos::ChunkSize(1)),
                           Threads{space.meeting(), space.sums(), size, functor});
  }
}

/// A vector whose entries the threads of a cooperative launch (GPU) hand to each other one by one, without a
/// barrier: every 4 bytes of an entry lie in a word beside a tag, so that a reader knows of each word whether
/// it is the awaited one, and 8-byte stores suffice. Twice the bytes of a vector, at the latency of the second
/// cache alone.
///
/// The tag is that of the reader's next look and never 0: CooperativeMember::epoch(), where threads have met
/// between two writes. An entry may be written anew when all who read it have met since. Who waits for an entry
/// should do so with all lanes of the warp in one loop: lanes that spin alone hold up the others for long.
template <class Exec, class Scalar>
class CooperativeVector {
  using L = Lanes<Exec>;
  static constexpr int count = static_cast<int>((sizeof(Scalar) + 3) / 4);
  static_assert(std::is_trivially_copyable_v<Scalar> && (count == 1 || count % 2 == 0));

 public:
  /// What was found of an entry.
  struct TaggedEntry {
    std::uint64_t words[count];
  };

  CooperativeVector() = default;
  /// 2 size scalars of at least 4 bytes. Throws OutOfMemory.
  CooperativeVector(Exec const& exec, std::size_t size)
      : words_(allocate<Words>(exec, "einkorn::CooperativeVector", size * count)) {
    Kokkos::deep_copy(exec, words_, std::uint64_t(0));
  }
  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Scalar const& value, std::uint32_t tag) const {
    std::uint32_t parts[count] = {};
    memcpy(static_cast<void*>(parts), static_cast<void const*>(&value), sizeof(Scalar));
    std::uint64_t* const words = words_.data() + i * count;
    if constexpr (count == 1)
      L::store_relaxed(words, tagged(parts[0], tag));
    else
      for (int part = 0; part < count; part += 2)
        L::store_relaxed(words + part, tagged(parts[part], tag), tagged(parts[part + 1], tag));
  }
  /// What the second cache has just now: asked for early, its latency is hidden.
  KOKKOS_FORCEINLINE_FUNCTION TaggedEntry load(std::size_t i) const {
    TaggedEntry entry;
    std::uint64_t const* const words = words_.data() + i * count;
    if constexpr (count == 1)
      L::load_relaxed(words, entry.words[0]);
    else
      for (int part = 0; part < count; part += 2)
        L::load_relaxed(words + part, entry.words[part], entry.words[part + 1]);
    return entry;
  }
  /// Whether it is the entry of this tag, and then the entry. Who finds another asks again.
  static KOKKOS_FORCEINLINE_FUNCTION bool has_tag(TaggedEntry const& entry, std::uint32_t tag) {
    bool is = true;
    for (int part = 0; part < count; ++part) is = is && static_cast<std::uint32_t>(entry.words[part]) == tag;
    return is;
  }
  static KOKKOS_FORCEINLINE_FUNCTION Scalar value(TaggedEntry const& entry) {
    std::uint32_t parts[count];
    for (int part = 0; part < count; ++part) parts[part] = static_cast<std::uint32_t>(entry.words[part] >> 32);
    Scalar value;
    memcpy(static_cast<void*>(&value), static_cast<void const*>(parts), sizeof(Scalar));
    return value;
  }

 private:
  using Words = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;

  static KOKKOS_FORCEINLINE_FUNCTION std::uint64_t tagged(std::uint32_t part, std::uint32_t tag) {
    return static_cast<std::uint64_t>(part) << 32 | tag;
  }
  Words words_;
};

/// Whether the teams of a sweep's kernel (core/launch.hpp) may be those of for_each_team(): they need no
/// scratch and no barrier, and the kernel says so by has_independent_warps. (nvcc 13.0 takes kernel.run(team,
/// gathered) for invalid in a requires-expression of its device pass, and then drops the cooperative kernel
/// without a word.)
template <class Kernel>
inline constexpr bool is_run_by_virtual_teams = requires { requires Kernel::has_independent_warps; };

}  // namespace einkorn
