// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/bdia/bdia.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace einkorn {

namespace detail {

/// True for a band that is empty, not ascending, not inside the matrix, or not stored directly after its
/// predecessor.
template <class Format>
struct IsInvalidBand {
  Format F;

  KOKKOS_FUNCTION bool operator()(std::size_t b) const {
    using Offset = typename Format::offset_type;
    std::int64_t const begin = to_int64(F.band_offsets(b)), width = to_int64(F.band_widths(b));
    std::int64_t const min_begin =
        b == 0 ? 1 - to_int64(F.num_rows) : to_int64(F.band_offsets(b - 1)) + to_int64(F.band_widths(b - 1));
    if (width < 1 || begin < min_begin || begin >= to_int64(F.num_cols) || width > to_int64(F.num_cols) - begin)
      return true;
    return F.band_bases(b + 1) != F.band_bases(b) + static_cast<Offset>(width) * F.stride;
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION std::int64_t to_int64(typename Format::ordinal_type number) {
    return static_cast<std::int64_t>(number);
  }
};

/// True for a band whose diagonals differ from the list of diagonals.
template <class Format>
struct DiagonalListMismatch {
  Format F;

  KOKKOS_FUNCTION bool operator()(std::size_t b) const {
    using Ordinal = typename Format::ordinal_type;
    auto const first = static_cast<std::size_t>(F.band_bases(b) / F.stride);
    for (Ordinal j = 0; j < F.band_widths(b); ++j)
      if (F.diagonals(first + static_cast<std::size_t>(j)) != F.band_offsets(b) + j) return true;
    return false;
  }
};

}  // namespace detail

/// Checks the invariants of Bdia, for a struct filled by the caller. Slots outside the matrix are not checked.
/// @throws InvalidStructure, naming the first invalid band and its numbers
/// Cost: reads the table of bands once, on the device; fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Bdia<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("validate");
  auto const text = [](auto number) { return std::to_string(number); };
  require<InvalidStructure>(F.num_rows >= 0 && F.num_cols >= 0, [&] {
    return "Bdia: negative size " + text(F.num_rows) + " x " + text(F.num_cols);
  });
  auto const bands = F.band_offsets.extent(0);
  require<InvalidStructure>(
      F.band_widths.extent(0) == bands &&
          (F.band_bases.extent(0) == bands + 1 || (bands == 0 && F.band_bases.extent(0) == 0)),
      [&] {
        return "Bdia: " + text(bands) + " band_offsets, " + text(F.band_widths.extent(0)) + " band_widths, " +
               text(F.band_bases.extent(0)) + " band_bases; expected as many widths and one base more";
      });
  if (bands == 0) {
    require<InvalidStructure>(F.values.extent(0) == 0, "Bdia: values, but no bands");
    return;
  }
  require<InvalidStructure>(F.stride >= static_cast<Offset>(F.num_rows), [&] {
    return "Bdia: stride is " + text(F.stride) + ", expected num_rows = " + text(F.num_rows) + " or more";
  });
  exec.fence("einkorn::validate: what fills the matrix on exec has run");
  auto const first = detail::read_one(F.band_bases, 0);
  require<InvalidStructure>(first == 0,
                            [&] { return "Bdia: band_bases(0) is " + text(first) + ", expected 0"; });
  using IsBad = detail::IsInvalidBand<Bdia<Scalar, Ordinal, Offset, Device>>;
  auto const bad = detail::first_bad(exec, "einkorn::validate[bdia]", bands, IsBad{F});
  require<InvalidStructure>(bad == bands, [&] {
    auto const read = [&](auto const& view, std::size_t at) { return text(detail::read_one(view, at)); };
    return "Bdia: band " + text(bad) + " has offset " + read(F.band_offsets, bad) + ", width " +
           read(F.band_widths, bad) + " and slots " + read(F.band_bases, bad) + " .. " +
           read(F.band_bases, bad + 1) +
           ", expected width * stride slots and diagonals after those of the band before, from " +
           text(1 - F.num_rows) + " to " + text(F.num_cols - 1);
  });
  auto const last = detail::read_one(F.band_bases, bands);
  require<InvalidStructure>(F.values.extent(0) == static_cast<std::size_t>(last), [&] {
    return "Bdia: values has " + text(F.values.extent(0)) + " entries, expected band_bases(" + text(bands) +
           ") = " + text(last);
  });
  auto const diagonals = F.diagonals.extent(0);
  if (diagonals == 0) return;
  require<InvalidStructure>(static_cast<Offset>(diagonals) == F.num_diagonals(), [&] {
    return "Bdia: diagonals has " + text(diagonals) + " entries, expected " + text(F.num_diagonals()) +
           " or none";
  });
  using DiagonalListMismatch = detail::DiagonalListMismatch<Bdia<Scalar, Ordinal, Offset, Device>>;
  auto const mismatch = detail::first_bad(exec, "einkorn::validate[bdia]", bands, DiagonalListMismatch{F});
  require<InvalidStructure>(mismatch == bands, [&] {
    return "Bdia: diagonals does not list those of band " + text(mismatch) + ", which begins with " +
           text(detail::read_one(F.band_offsets, mismatch));
  });
}

}  // namespace einkorn
