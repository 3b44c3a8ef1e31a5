// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/generate/banded.hpp>
#include <einkorn/formats/generate/blocks.hpp>
#include <einkorn/formats/generate/circuit.hpp>
#include <einkorn/formats/generate/generator_spec.hpp>
#include <einkorn/formats/generate/long_rows.hpp>
#include <einkorn/formats/generate/power_law.hpp>
#include <einkorn/formats/generate/rmat.hpp>
#include <einkorn/formats/generate/row_pattern.hpp>
#include <einkorn/formats/generate/stencil.hpp>
#include <einkorn/formats/generate/stripes.hpp>
#include <einkorn/formats/generate/surrogate.hpp>

#include <Kokkos_Core.hpp>

#include <string_view>
#include <type_traits>

namespace einkorn {

/// Generates the matrix of a specification such as "gen:stencil7:256x256x256" or "gen:rmat:21:seed=7", in
/// parallel on the device.
///
/// | specification | matrix |
/// |---|---|
/// | gen:stencil5:NXxNY, gen:stencil9:NXxNY | 2-D grid; one extent: a square; symmetric positive definite |
/// | gen:stencil7:NXxNYxNZ, gen:stencil27:... | 3-D grid; one extent: a cube; symmetric positive definite |
/// | gen:elasticity:NXxNYxNZ | 27 points, 3 unknowns per point; symmetric positive definite |
/// | gen:band:N:D | one band of D diagonals, D odd; symmetric positive definite |
/// | gen:bands:N:W:K | K bands of W diagonals |
/// | gen:stripes:N:HEIGHT:WIDTH | HEIGHT consecutive rows with the same WIDTH columns |
/// | gen:rmat:SCALE[:EDGEFACTOR=16[:A=57:B=19:C=19]] | R-MAT graph of 2^SCALE nodes, probabilities in percent |
/// | gen:powerlaw:N:MEAN | power-law row lengths |
/// | gen:circuit:N | short rows and a few very long ones |
/// | gen:longrows:N:M:LEN | N x M, every row of LEN entries |
/// | gen:blocks:N:B | dense blocks of B x B |
/// | gen:surrogate:NAME[:PERCENT=100] | surrogate of a matrix of the CSR5 suite; size in percent |
///
/// gen:twin:NAME is a deprecated alias of gen:surrogate:NAME. Each specification may end in :seed=S; the
/// default is 1. The columns of a row increase without duplicates; no stored value is zero. Values are uniform
/// in [-1, 1] (complex: real and imaginary part), except for the diagonals of definite matrices (see
/// SymmetricValues) and for sums in R-MAT. All arithmetic is on integers, and all values are exact in float: a
/// specification gives the same matrix for every backend, number of threads, and Scalar float or double.
///
/// @throws InvalidArgument with the specification and what was expected
/// @throws OverflowError with the index type that suffices, before arrays of nnz entries are allocated
/// @throws OutOfMemory
/// Asynchronous: the entries may not be written yet on return.
template <class Scalar, class Ordinal, class Offset, class Device, ExecutionSpace Exec>
requires AccessibleFrom<Device, Exec>
Csr<Scalar, Ordinal, Offset, Device> generate(Exec const& exec, std::string_view spec) {
  static_assert(!std::is_const_v<Scalar>, "einkorn::generate: Scalar must not be const");
  GeneratorSpec const parsed = parse_generator(spec);
  bool const with_imag = is_complex<Scalar>;
  auto const build = [&](auto const& pattern) {
    return build_csr<Scalar, Ordinal, Offset, Device>(exec, pattern, parsed.text);
  };
  auto const kind = parsed.kind.name;
  if (kind == "band") return build(make_band(parsed, with_imag));
  if (kind == "bands") return build(make_spread_bands(parsed, with_imag));
  if (kind == "stripes") return build(make_stripes(parsed, with_imag));
  if (kind == "rmat") return build(make_rmat(parsed, with_imag));
  if (kind == "powerlaw") return build(make_power_law(parsed, with_imag));
  if (kind == "circuit") return build(make_circuit(parsed, with_imag));
  if (kind == "longrows") return build(make_long_rows(parsed, with_imag));
  if (kind == "blocks") return build(make_blocks(parsed, with_imag));
  if (kind == "surrogate") return build(make_surrogate(parsed, with_imag));
  return build(make_stencil(parsed, with_imag));
}

}  // namespace einkorn
