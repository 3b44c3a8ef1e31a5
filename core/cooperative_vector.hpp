// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/copy.hpp>
#include <einkorn/core/detail/tagged_words.hpp>
#include <einkorn/core/lanes/lanes.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

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

 public:
  /// The words of an entry as loaded, of any tag.
  using TaggedEntry = detail::TaggedWords<Scalar>;

  CooperativeVector() = default;
  /// Allocates 2 size scalars of at least 4 bytes, with tags 0.
  /// @throws OutOfMemory
  CooperativeVector(Exec const& exec, std::size_t size)
      : words_(allocate<Words>(exec, "einkorn::CooperativeVector", size * count)) {
    fill_vector(exec, words_, std::uint64_t(0));
  }
  /// Of memory with zeros that outlives this: num_words(size) words, aligned to 16 bytes.
  CooperativeVector(std::uint64_t* words, std::size_t size) : words_(words, num_words(size)) {}
  /// The words of `size` entries; also the number of the first word of entry `size`, for store_at().
  static std::size_t num_words(std::size_t size) { return size * count; }

  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t i, Scalar const& value, std::uint32_t tag) const {
    auto const entry = TaggedEntry::of(value, tag);
    std::uint64_t* const words = words_.data() + i * count;
    if constexpr (count == 1)
      L::store_relaxed(words, entry.words[0]);
    else
      for (int part = 0; part < count; part += 2)
        L::store_relaxed(words + part, entry.words[part], entry.words[part + 1]);
  }
  /// Stores an entry whose words are in the memory of another device.
  static KOKKOS_FORCEINLINE_FUNCTION void store_at(std::uint64_t* words, Scalar const& value,
                                                   std::uint32_t tag) {
    TaggedEntry::template store<L>(words, value, tag);
  }
  /// Loads the words of entry i from L2. Issue early to hide the latency.
  /// @tparam may_be_remote  kernels of other devices write entries of this vector (store_at())
  template <bool may_be_remote = false>
  KOKKOS_FORCEINLINE_FUNCTION TaggedEntry load(std::size_t i) const {
    std::uint64_t const* const words = words_.data() + i * count;
    if constexpr (may_be_remote) return TaggedEntry::template load<L>(words);
    TaggedEntry entry;
    if constexpr (count == 1)
      L::load_relaxed(words, entry.words[0]);
    else
      for (int part = 0; part < count; part += 2)
        L::load_relaxed(words + part, entry.words[part], entry.words[part + 1]);
    return entry;
  }

 private:
  static constexpr int count = TaggedEntry::count;
  static_assert(count == 1 || count % 2 == 0);
  using Words = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;

  Words words_;
};

}  // namespace einkorn
