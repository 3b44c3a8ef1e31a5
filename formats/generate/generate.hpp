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

/// The matrix that a specification such as "gen:stencil7:256x256x256" or "gen:rmat:21:seed=7" describes, made
/// on the device and in parallel.
///
/// | specification | matrix |
/// |---|---|
/// | gen:stencil5:NXxNY, gen:stencil9:NXxNY | plane; one number is a square; symmetric positive definite |
/// | gen:stencil7:NXxNYxNZ, gen:stencil27:... | space; one number is a cube; symmetric positive definite |
/// | gen:elasticity:NXxNYxNZ | 27 points, 3 unknowns a point; symmetric positive definite |
/// | gen:band:N:D | one band of D diagonals, D odd; symmetric positive definite |
/// | gen:bands:N:W:K | K bands of W diagonals |
/// | gen:stripes:N:HEIGHT:WIDTH | runs of HEIGHT rows with one list of WIDTH columns |
/// | gen:rmat:SCALE[:EDGEFACTOR=16[:A=57:B=19:C=19]] | R-MAT graph of 2^SCALE nodes, chances in percent |
/// | gen:powerlaw:N:MEAN | row lengths after a power law |
/// | gen:circuit:N | short rows and a few very long ones |
/// | gen:longrows:N:M:LEN | N x M, every row of LEN entries |
/// | gen:blocks:N:B | dense blocks of B x B |
/// | gen:twin:NAME[:PERCENT=100] | features of a matrix of the CSR5 suite (gen:twin:cant), its size in percent
/// |
///
/// Any of them may end in :seed=S, S = 1 unless given. Within a row the columns increase, without duplicates;
/// no stored value is zero. Values are random in [-1, 1], those of complex matrices in real and imaginary part,
/// but for the diagonals of definite matrices (see SymmetricValues) and sums in R-MAT. All arithmetic is on
/// integers and all numbers are exact in float: one specification is one matrix, whatever the backend, the
/// number of threads and whether Scalar is float or double.
///
/// The entries may still be under way on exec when this returns.
/// Throws InvalidArgument, which repeats the specification and says what was expected; OverflowError, which
/// names the index type that would do, before anything of the size of the entries is allocated; OutOfMemory.
template <class Scalar, class Ordinal, class Offset, class Device, ExecutionSpace Exec>
requires AccessibleFrom<Device, Exec>
Csr<Scalar, Ordinal, Offset, Device> generate(Exec const& exec, std::string_view spec) {
  static_assert(!std::is_const_v<Scalar>, "einkorn::generate: Scalar is what gets written");
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
  if (kind == "twin") return build(make_twin(parsed, with_imag));
  return build(make_stencil(parsed, with_imag));
}

}  // namespace einkorn
