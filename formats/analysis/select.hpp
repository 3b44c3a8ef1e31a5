// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/machine_profile.hpp>
#include <einkorn/formats/analysis/select_model.hpp>
#include <einkorn/formats/analysis/structure.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/format_name.hpp>
#include <einkorn/formats/spmv_operands.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace einkorn {

/// The format for a matrix, and why.
struct Selection {
  FormatName format = FormatName::csr;
  std::string reason;                ///< one sentence
  double seconds = 0;                ///< of one SpMV, expected or measured
  double csr_seconds = 0;            ///< the same for CSR
  double conversion_spmvs = 0;       ///< cost of the conversion, in SpMVs of CSR
  double pays_after = 0;             ///< SpMVs after which the conversion has paid; infinity: never; 0 for CSR
  std::vector<Estimate> candidates;  ///< all that were compared, the fastest first, the refused last
  Structure structure;
};

struct SelectOptions {
  double fill_limit = default_fill_limit;  ///< of the padded formats
};

namespace detail {

/// The candidate whose conversion and `uses` SpMVs take least; CSR where nothing is gained.
inline Selection choose(std::vector<Estimate> candidates, double uses, char const* how) {
  auto const order = [](Estimate const& a, Estimate const& b) {
    return a.refused != b.refused ? b.refused : a.seconds < b.seconds;
  };
  std::stable_sort(candidates.begin(), candidates.end(), order);
  auto const csr = *std::find_if(candidates.begin(), candidates.end(),
                                 [](Estimate const& e) { return e.format == FormatName::csr; });
  auto const total = [&](Estimate const& e) { return e.conversion_spmvs * csr.seconds / uses + e.seconds; };
  Estimate best = csr;
  for (auto const& e : candidates)
    if (!e.refused && total(e) < total(best)) best = e;
  Selection result;
  result.format = best.format;
  result.seconds = best.seconds;
  result.csr_seconds = csr.seconds;
  result.conversion_spmvs = best.conversion_spmvs;
  double const gain = 1.0 - best.seconds / csr.seconds;
  if (best.format == FormatName::csr)
    result.reason = sentence("csr: nothing that pays within %.3g SpMVs is faster (%s)", uses, how);
  else
    result.reason = sentence("%s: %s; %.2f of the bytes and %.2f of the time of CSR (%s)", name_of(best.format),
                             best.what.c_str(), best.bytes / csr.bytes, best.seconds / csr.seconds, how);
  if (best.format != FormatName::csr)
    result.pays_after = gain > 0 ? best.conversion_spmvs / gain : std::numeric_limits<double>::infinity();
  result.candidates = std::move(candidates);
  return result;
}

/// select() with all types given.
template <class Exec, class Scalar, class Ordinal, class Offset, class Device>
Selection select_format(Exec const& exec, Csr<Scalar const, Ordinal, Offset, Device> const& A, double uses,
                        SelectOptions const& options, std::size_t vector_scalar_bytes) {
  require<InvalidArgument>(
      uses > 0, [&] { return "select: uses is " + std::to_string(uses) + ", expected more than 0"; });
  auto const machine = machine_model_of(exec);
  auto const found = structure(exec, A);
  auto result = choose(estimate_formats(found, arch_of<Exec>, machine, sizeof(Scalar), vector_scalar_bytes,
                                        sizeof(Ordinal), sizeof(Offset), options.fill_limit),
                       uses, "by model");
  result.structure = found;
  return result;
}

}  // namespace detail

/// The format for `uses` SpMVs with A, by the bytes that each format must move: nothing is converted. The model
/// and its numbers: select_model.hpp, those of the machine from its profile where there is one
/// (machine_profile.hpp: a file is read once a process). VectorScalar: the scalar of x and y (void: that of A).
/// Cost: that of structure(). Throws InvalidArgument unless uses > 0 (infinity: the conversion does not count),
/// OutOfMemory, ParseError and IoError (the profile).
template <class VectorScalar = void, ExecutionSpace Exec, class Scalar, class Ordinal, class Offset,
          class Device>
Selection select(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                 double uses = std::numeric_limits<double>::infinity(), SelectOptions const& options = {}) {
  return detail::select_format(exec, Csr<Scalar const, Ordinal, Offset, Device>(A), uses, options,
                               sizeof(VectorScalarOr<VectorScalar, Scalar>));
}

template <class VectorScalar = void, ExecutionSpace Exec, CrsMatrixLike Matrix>
Selection select(Exec const& exec, Matrix const& A, double uses = std::numeric_limits<double>::infinity(),
                 SelectOptions const& options = {}) {
  return select<VectorScalar>(exec, as_csr(A), uses, options);
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/select.hpp>
#endif
