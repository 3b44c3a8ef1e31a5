// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace einkorn::detail {

/// A value as words of 8 bytes, each with 4 bytes of the value in its upper half and a tag in its lower half. A reader
/// detects from each word alone whether it is current: stores of 8 bytes suffice, no fence is needed, and the latency is
/// that of one store. Twice the bytes of the value.
template <class T>
struct TaggedWords {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr int count = static_cast<int>((sizeof(T) + 3) / 4);

  std::uint64_t words[count];

  static KOKKOS_FORCEINLINE_FUNCTION TaggedWords of(T const& value, std::uint32_t tag) {
    std::uint32_t parts[count] = {};
    memcpy(static_cast<void*>(parts), static_cast<void const*>(&value), sizeof(T));
    TaggedWords result;
    for (int part = 0; part < count; ++part)
      result.words[part] = static_cast<std::uint64_t>(parts[part]) << 32 | tag;
    return result;
  }
  /// True if all words have the tag.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_tag(std::uint32_t tag) const {
    bool has = true;
    for (int part = 0; part < count; ++part) has = has && static_cast<std::uint32_t>(words[part]) == tag;
    return has;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION T value() const {
    std::uint32_t parts[count];
    for (int part = 0; part < count; ++part) parts[part] = static_cast<std::uint32_t>(words[part] >> 32);
    T result;
    memcpy(static_cast<void*>(&result), static_cast<void const*>(parts), sizeof(T));
    return result;
  }

  /// Stores into memory that another device reads; `to` is aligned to 16 bytes if count is even. L: the lanes of the
  /// execution space.
  template <class L>
  static KOKKOS_FORCEINLINE_FUNCTION void store(std::uint64_t* to, T const& value, std::uint32_t tag) {
    auto const tagged = of(value, tag);
    if constexpr (count % 2 == 0)
      for (int part = 0; part < count; part += 2)
        L::store_system(to + part, tagged.words[part], tagged.words[part + 1]);
    else
      for (int part = 0; part < count; ++part) L::store_volatile(to + part, tagged.words[part]);
  }
  /// Loads from memory that another device writes, aligned likewise.
  template <class L>
  static KOKKOS_FORCEINLINE_FUNCTION TaggedWords load(std::uint64_t const* from) {
    TaggedWords result;
    if constexpr (count % 2 == 0)
      for (int part = 0; part < count; part += 2)
        L::load_system(from + part, result.words[part], result.words[part + 1]);
    else
      for (int part = 0; part < count; ++part) result.words[part] = L::load_volatile(from + part);
    return result;
  }
  /// Loads until the words have the tag.
  template <class L>
  static KOKKOS_FORCEINLINE_FUNCTION T wait(std::uint64_t const* from, std::uint32_t tag) {
    auto found = load<L>(from);
    while (!found.has_tag(tag)) found = load<L>(from);
    return found.value();
  }
};

}  // namespace einkorn::detail
