// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/brcv/brcv.hpp>
#include <einkorn/formats/csr/validate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace einkorn {

namespace detail {

/// Stripe i has no rows, or a list of negative length.
template <class Format>
struct InvalidStripe {
  Format F;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index i) const {
    return F.b(i + 1) <= F.b(i) || F.rc(i + 1) < F.rc(i);
  }
};

/// The values of stripe i do not end where those of the next stripe begin.
template <class Format>
struct InvalidValueRange {
  Format F;
  template <class Index>
  KOKKOS_FUNCTION bool operator()(Index i) const {
    auto const end = i + 1 < F.num_stripes() ? F.rv(i + 1) : F.nnz();
    return F.row_begin(i, F.b(i + 1)) != end;
  }
};

}  // namespace detail

/// Checks the invariants of Brcv, except that stripes are maximal. For arrays filled by the caller; from_csr()
/// returns valid ones.
/// @throws InvalidStructure with the first invalid stripe or list entry
/// Cost: on the device; reads b, rc, rv and c once or twice, copies a few numbers to the host, fences exec.
template <ExecutionSpace Exec, class Scalar, class Ordinal, class Offset, class Device>
void validate(Exec const& exec, Brcv<Scalar, Ordinal, Offset, Device> const& F) {
  require_kokkos("validate");
  auto const text = [](auto number) { return std::to_string(number); };
  auto const expect = [&](auto got, auto want, std::string const& name) {
    require<InvalidStructure>(
        got == want, [&] { return "Brcv: " + name + " is " + text(got) + ", expected " + text(want); });
  };
  require<InvalidStructure>(F.num_rows >= 0 && F.num_cols >= 0, [&] {
    return "Brcv: negative size " + text(F.num_rows) + " x " + text(F.num_cols);
  });
  expect(static_cast<std::size_t>(F.num_entries), F.values.extent(0), "num_entries");
  auto const p = F.rv.extent(0);
  if (p == 0) {
    require<InvalidStructure>(F.num_rows == 0 && F.values.extent(0) == 0 && F.c.extent(0) == 0,
                              "Brcv: rows or entries, but no stripes (rv has extent 0)");
    return;
  }
  expect(F.b.extent(0), p + 1, "the extent of b");
  expect(F.rc.extent(0), p + 1, "the extent of rc");
  exec.fence("einkorn::validate: what fills the matrix on exec has run");
  expect(detail::read_one(F.b, 0), Ordinal(0), "b(0)");
  expect(detail::read_one(F.b, p), F.num_rows, "b(" + text(p) + ")");
  expect(detail::read_one(F.rc, 0), Offset(0), "rc(0)");
  expect(static_cast<std::size_t>(detail::read_one(F.rc, p)), F.c.extent(0), "rc(" + text(p) + ")");
  expect(detail::read_one(F.rv, 0), Offset(0), "rv(0)");
  using Format = Brcv<Scalar, Ordinal, Offset, Device>;
  auto const stripe =
      detail::first_bad(exec, "einkorn::validate[stripes]", F.num_stripes(), detail::InvalidStripe<Format>{F});
  require<InvalidStructure>(stripe == F.num_stripes(), [&] {
    return "Brcv: stripe " + text(stripe) + " has no rows, or a list of negative length (b or rc decreases)";
  });
  auto const split = detail::first_bad(exec, "einkorn::validate[values]", F.num_stripes(),
                                       detail::InvalidValueRange<Format>{F});
  require<InvalidStructure>(split == F.num_stripes(), [&] {
    return "Brcv: the values of stripe " + text(split) +
           " do not end where those of the next begin (rv, num_entries)";
  });
  using OutOfRange = detail::OutOfRange<decltype(F.c), Ordinal>;
  auto const k = detail::first_bad(exec, "einkorn::validate[columns]", static_cast<Offset>(F.c.extent(0)),
                                   OutOfRange{F.c, F.num_cols});
  require<InvalidStructure>(k == static_cast<Offset>(F.c.extent(0)), [&] {
    return "Brcv: c(" + text(k) + ") is " + text(detail::read_one(F.c, static_cast<std::size_t>(k))) +
           ", expected 0 .. " + text(F.num_cols) + " - 1";
  });
}

}  // namespace einkorn
