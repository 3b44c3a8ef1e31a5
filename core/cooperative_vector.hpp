// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace einkorn {

/// A vector whose entries the threads of a cooperative launch (GPU) exchange one by one, without a barrier.
/// Every 4 bytes of an entry are stored in an 8-byte word next to a tag, from which a reader detects whether
/// the word is current. 8-byte stores suffice. Twice the bytes of a plain vector; the latency is one access to
/// L2.
///
/// The tag of a write must differ from the previous tag of the entry and from 0: CooperativeMember::epoch(), if
/// a barrier separates the writes. An entry may be overwritten after a barrier that follows all its reads.
/// All lanes of a warp should poll in one loop: lanes that poll separately delay the rest of the warp.
template <class Exec, class Scalar>
class CooperativeVector {
  using L = Lanes<Exec>;
  static constexpr int count = static_cast<int>((sizeof(Scalar) + 3) / 4);
  static_assert(std::is_trivially_copyable_v<Scalar> && (count == 1 || count % 2 == 0));

 public:
  /// The words of an entry as loaded, of any tag.
  struct TaggedEntry {
    std::uint64_t words[count];
  };

  CooperativeVector() = default;
  /// Allocates 2 size scalars of at least 4 bytes, with tags 0.
  /// @throws OutOfMemory
  CooperativeVector(Exec const& exec, std::size_t size)
      : words_(allocate<Words>(exec, "einkorn::CooperativeVector", size * count)) {
    Kokkos::deep_copy(exec, words_, std::uint64_t(0));
  }
  /// Of memory with zeros that outlives this: num_words(size) words, aligned to 16 bytes. Entries from first_remote on
  /// are written by kernels of other devices (store_at()).
  CooperativeVector(std::uint64_t* words, std::size_t size, std::size_t first_remote)
      : words_(words, num_words(size)), first_remote_(first_remote) {}
  /// The words of `size` entries; also the number of the first word of entry `size`, for store_at().
  static std::size_t num_words(std::size_t size) { return size * count; }

  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Scalar const& value, std::uint32_t tag) const {
    std::uint32_t parts[count];
    split(value, parts);
    std::uint64_t* const words = words_.data() + i * count;
    if constexpr (count == 1)
      L::store_relaxed(words, tagged(parts[0], tag));
    else
      for (int part = 0; part < count; part += 2)
        L::store_relaxed(words + part, tagged(parts[part], tag), tagged(parts[part + 1], tag));
  }
  /// Stores an entry whose words are in the memory of another device.
  static KOKKOS_FORCEINLINE_FUNCTION void store_at(std::uint64_t* words, Scalar const& value,
                                                   std::uint32_t tag) {
    std::uint32_t parts[count];
    split(value, parts);
    for (int part = 0; part < count; ++part) L::store_volatile(words + part, tagged(parts[part], tag));
  }
  /// Loads the words of entry i from L2. Issue early to hide the latency.
  KOKKOS_FORCEINLINE_FUNCTION TaggedEntry load(std::size_t i) const {
    TaggedEntry entry;
    std::uint64_t const* const words = words_.data() + i * count;
    if (i >= first_remote_)
      for (int part = 0; part < count; ++part) entry.words[part] = L::load_volatile(words + part);
    else if constexpr (count == 1)
      L::load_relaxed(words, entry.words[0]);
    else
      for (int part = 0; part < count; part += 2)
        L::load_relaxed(words + part, entry.words[part], entry.words[part + 1]);
    return entry;
  }
  /// True if all words of the entry have the tag. If not, load again.
  static KOKKOS_FORCEINLINE_FUNCTION bool has_tag(TaggedEntry const& entry, std::uint32_t tag) {
    bool has = true;
    for (int part = 0; part < count; ++part) has = has && static_cast<std::uint32_t>(entry.words[part]) == tag;
    return has;
  }
  /// The value of an entry.
  /// @pre has_tag() with the expected tag
  static KOKKOS_FORCEINLINE_FUNCTION Scalar value(TaggedEntry const& entry) {
    std::uint32_t parts[count];
    for (int part = 0; part < count; ++part) parts[part] = static_cast<std::uint32_t>(entry.words[part] >> 32);
    Scalar value;
    memcpy(static_cast<void*>(&value), static_cast<void const*>(parts), sizeof(Scalar));
    return value;
  }

 private:
  using Words = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;

  static KOKKOS_FORCEINLINE_FUNCTION void split(Scalar const& value, std::uint32_t (&parts)[count]) {
    if constexpr (sizeof(Scalar) < sizeof(parts)) parts[count - 1] = 0;
    memcpy(static_cast<void*>(parts), static_cast<void const*>(&value), sizeof(Scalar));
  }
  static KOKKOS_FORCEINLINE_FUNCTION std::uint64_t tagged(std::uint32_t part, std::uint32_t tag) {
    return static_cast<std::uint64_t>(part) << 32 | tag;
  }
  Words words_;
  std::size_t first_remote_ = static_cast<std::size_t>(-1);
};

}  // namespace einkorn
