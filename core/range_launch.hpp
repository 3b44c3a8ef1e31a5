// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/balance/host_parts.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/function_ref.hpp>
#include <einkorn/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Kokkos::parallel_for, parallel_reduce and parallel_scan over the range 0 .. count - 1. On a GPU these functions call
/// Kokkos with a light-weight RangePolicy. On the host each thread gets one contiguous chunk, as in Kokkos, but
/// the launch is compiled once per execution space and not once per functor: it is about 3 KB of code otherwise.
namespace einkorn {

namespace detail {

/// Runs body(chunk, begin, end) for contiguous chunks of 0 .. count - 1, one per thread of exec.
template <class Exec>
void for_each_chunk(char const* label, Exec const& exec, std::int64_t count,
                    FunctionRef<void(std::size_t, std::int64_t, std::int64_t)> body) {
  std::int64_t const chunks = exec.concurrency(), rows = count / chunks, more = count % chunks;
  for_each_part(exec, label, chunks, [&](std::int64_t chunk) {
    std::int64_t const begin = chunk * rows + (chunk < more ? chunk : more);
    body(static_cast<std::size_t>(chunk), begin, begin + rows + (chunk < more ? 1 : 0));
  });
}

/// A reducer of Kokkos for a result of parallel_reduce: itself, or the sum into a scalar or a View of rank 0.
template <class Result>
auto reducer_of(Result& result) {
  using Type = std::remove_const_t<Result>;
  if constexpr (Kokkos::is_reducer<Type>::value)
    return result;
  else if constexpr (Kokkos::is_view<Type>::value)
    return Kokkos::Sum<typename Type::non_const_value_type, Kokkos::HostSpace>(result());
  else
    return Kokkos::Sum<Type, Kokkos::HostSpace>(result);
}

template <class Reducer>
typename Reducer::value_type identity_of(Reducer const& reducer) {
  typename Reducer::value_type value;
  reducer.init(value);
  return value;
}

[[gnu::noinline]] inline std::vector<unsigned char> allocate_host_bytes(char const* label, std::size_t bytes) {
  return allocate_vector<unsigned char>(label, bytes);
}

// Not lambdas in range_reduce(): nvcc 13.0 expands their parameter packs wrongly.
template <class Partial, std::size_t... i, class... Reducers>
void join_partials(Partial& total, Partial const& partial, std::index_sequence<i...>,
                   Reducers const&... reducers) {
  (reducers.join(std::get<i>(total), std::get<i>(partial)), ...);
}
template <class Partial, std::size_t... i, class... Reducers>
void store_results(Partial const& total, std::index_sequence<i...>, Reducers const&... reducers) {
  ((reducers.reference() = std::get<i>(total)), ...);
}

/// run(result, begin, end) stores the result of a chunk, of `bytes` bytes; then join(result) for all in the order of the chunks.
template <class Exec>
void reduce_chunks(char const* label, Exec const& exec, std::int64_t count, std::size_t bytes,
                   FunctionRef<void(void*, std::int64_t, std::int64_t)> run,
                   FunctionRef<void(void const*)> join) {
  auto const chunks = static_cast<std::size_t>(exec.concurrency());
  auto results = allocate_host_bytes(label, chunks * bytes);
  for_each_chunk(label, exec, count, [&](std::size_t chunk, std::int64_t begin, std::int64_t end) {
    run(results.data() + chunk * bytes, begin, end);
  });
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) join(results.data() + chunk * bytes);
}

/// The passes of a scan: pass(update, begin, end, is_final) for each chunk, which adds to its update, of `bytes` bytes;
/// shift(update, is_initial) sets it, in the order of the chunks: before the first pass, and after it to the sum of the
/// chunks before. With one chunk the first pass is the final one.
template <class Exec>
void scan_chunks(char const* label, Exec const& exec, std::int64_t count, std::size_t bytes,
                 FunctionRef<void(void*, std::int64_t, std::int64_t, bool)> pass,
                 FunctionRef<void(void*, bool)> shift) {
  auto const chunks = static_cast<std::size_t>(exec.concurrency());
  auto updates = allocate_host_bytes(label, chunks * bytes);
  auto const shift_all = [&](bool is_initial) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) shift(updates.data() + chunk * bytes, is_initial);
  };
  auto const run = [&](bool is_final) {
    for_each_chunk(label, exec, count, [&](std::size_t chunk, std::int64_t begin, std::int64_t end) {
      pass(updates.data() + chunk * bytes, begin, end, is_final);
    });
  };
  shift_all(true);
  run(chunks == 1);
  shift_all(false);
  if (chunks > 1) run(true);
}

template <class Functor, class Index, class T>
T update_of_scan(void (Functor::*)(Index, T&, bool) const);

/// True if Kokkos reads the type of the partial results, or how to join them, from the functor.
template <class Functor>
inline constexpr bool has_own_value_type = requires { typename Functor::value_type; };

}  // namespace detail

/// functor(i) for i in 0 .. count - 1. 1 launch; asynchronous on a GPU.
/// @tparam Index the type of i
template <class Index, class Exec, class Functor>
void range_for(char const* label, Exec const& exec, std::type_identity_t<Index> count, Functor const& functor) {
  if constexpr (is_gpu<Exec>)
    Kokkos::parallel_for(
        label, light_weight(Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count)), functor);
  else
    detail::for_each_chunk(label, exec, static_cast<std::int64_t>(count),
                           [&functor](std::size_t, std::int64_t begin, std::int64_t end) {
                             for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i)
                               functor(i);
                           });
}

/// functor(i, partial...) for i in 0 .. count - 1; then the results are the joined partial results. 1 launch. Fences if a
/// result is on the host. The host joins the partial results in the order of the chunks.
/// @tparam Index the type of i
/// @param results scalars (sums), reducers of Kokkos, or Views of rank 0 (sums)
template <class Index, class Exec, class Functor, class... Results>
void range_reduce(char const* label, Exec const& exec, std::type_identity_t<Index> count,
                  Functor const& functor, Results&&... results) {
  if constexpr (is_gpu<Exec> || detail::has_own_value_type<Functor>) {
    Kokkos::parallel_reduce(label,
                            light_weight(Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count)),
                            functor, results...);
  } else {
    auto const reduce = [&](auto const&... reducers) {
      using Partial = std::tuple<typename std::remove_cvref_t<decltype(reducers)>::value_type...>;
      static_assert(std::is_trivially_destructible_v<Partial> && alignof(Partial) <= alignof(std::max_align_t));
      auto const run = [&](void* result, std::int64_t begin, std::int64_t end) {
        auto const loop = [&](auto... partial) {
          for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) functor(i, partial...);
          ::new (result) Partial(partial...);
        };
        loop(detail::identity_of(reducers)...);
      };
      Partial total(detail::identity_of(reducers)...);
      constexpr std::index_sequence_for<decltype(reducers)...> indices;
      auto const join = [&](void const* result) {
        detail::join_partials(total, *static_cast<Partial const*>(result), indices, reducers...);
      };
      detail::reduce_chunks(label, exec, static_cast<std::int64_t>(count), sizeof(Partial), run, join);
      detail::store_results(total, indices, reducers...);
    };
    reduce(detail::reducer_of(results)...);
  }
}

/// Exclusive scan: functor(i, update, is_final) for i in 0 .. count - 1, where update is the sum of what the calls
/// for 0 .. i - 1 added to it if is_final, and the call adds to it. 1 launch on a GPU, 2 passes on the host. Fences if
/// there is a total.
/// @tparam Index the type of i
/// @param total nothing, or a scalar or View of rank 0: the sum of all. @pre It is 0: a GPU keeps it if count is 0
template <class Index, class Exec, class Functor, class... Total>
requires(sizeof...(Total) <= 1)
void range_scan(char const* label, Exec const& exec, std::type_identity_t<Index> count, Functor const& functor,
                Total&&... total) {
  if constexpr (is_gpu<Exec> || detail::has_own_value_type<Functor>) {
    Kokkos::parallel_scan(label,
                          light_weight(Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count)),
                          functor, total...);
  } else {
    using Update = decltype(detail::update_of_scan(&Functor::operator()));
    static_assert(std::is_trivially_copyable_v<Update> && alignof(Update) <= alignof(std::max_align_t));
    auto const pass = [&](void* of_chunk, std::int64_t begin, std::int64_t end, bool is_final) {
      Update& stored = *static_cast<Update*>(of_chunk);
      Update update = stored;
      for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) functor(i, update, is_final);
      stored = update;
    };
    Update sum{};
    // Sets the initial update of a chunk; later replaces its sum by that of the chunks before.
    auto const shift = [&sum](void* of_chunk, bool is_initial) {
      if (is_initial) return void(::new (of_chunk) Update());
      Update& stored = *static_cast<Update*>(of_chunk);
      Update const own = stored;
      stored = sum;
      sum += own;
    };
    detail::scan_chunks(label, exec, static_cast<std::int64_t>(count), sizeof(Update), pass, shift);
    if constexpr (sizeof...(Total) == 1) ((detail::reducer_of(total).reference() = sum), ...);
  }
}

}  // namespace einkorn
