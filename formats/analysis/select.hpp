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
#include <einkorn/formats/spmv_options.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace einkorn {

/// The format for a matrix, with the reason.
struct Selection {
  FormatName format = FormatName::csr;
  std::string reason;           ///< one sentence
  double seconds = 0;           ///< per SpMV, estimated or measured
  double csr_seconds = 0;       ///< the same for CSR
  double conversion_spmvs = 0;  ///< cost of the conversion, in SpMVs of CSR
  double pays_after = 0;        ///< SpMVs that amortize the conversion; infinity: never; 0 for CSR
  /// Of the plan of CSR with the time csr_seconds, if it was measured: its algorithm and lanes. Otherwise automatic.
  SpmvAlgorithm csr_algorithm = SpmvAlgorithm::automatic;
  int csr_lanes = 0;
  std::vector<Estimate> candidates;  ///< all formats compared, the fastest first, the refused last
  Structure structure;
};

struct SelectOptions {
  double fill_limit = default_fill_limit;  ///< stored entries per entry, at most, of the padded formats
};

namespace detail {

/// The candidate for which the conversion and `uses` SpMVs take the least time; CSR if none is faster.
/// how: "estimated" or "measured".
template <class Formats = BuiltInFormats>
Selection choose(std::vector<Estimate> candidates, double uses, char const* how) {
  auto const order = [](Estimate const& a, Estimate const& b) {
    return a.refused != b.refused ? b.refused : a.seconds < b.seconds;
  };
  // A few candidates: an insertion sort, which is stable, and a tenth of the code of std::stable_sort.
  for (std::size_t i = 1; i < candidates.size(); ++i)
    for (std::size_t j = i; j > 0 && order(candidates[j], candidates[j - 1]); --j)
      std::swap(candidates[j], candidates[j - 1]);
  auto const& csr = *std::find_if(candidates.begin(), candidates.end(),
                                  [](Estimate const& e) { return e.format == FormatName::csr; });
  auto const total = [&](Estimate const& e) { return e.conversion_spmvs * csr.seconds / uses + e.seconds; };
  auto const* best_so_far = &csr;
  for (auto const& e : candidates)
    if (!e.refused && total(e) < total(*best_so_far)) best_so_far = &e;
  auto const& best = *best_so_far;
  Selection result;
  result.format = best.format;
  result.seconds = best.seconds;
  result.csr_seconds = csr.seconds;
  result.conversion_spmvs = best.conversion_spmvs;
  double const gain = 1.0 - best.seconds / csr.seconds;
  if (best.format != FormatName::csr && best.bytes > 0)
    result.reason =
        formatted("%s: %s; %.2f of the bytes and %.2f of the time of CSR (%s)", Formats::name_of(best.format),
                  best.what.c_str(), best.bytes / csr.bytes, best.seconds / csr.seconds, how);
  else if (best.format != FormatName::csr)  // no model, so only measured
    result.reason = formatted("%s: %.2f of the time of CSR (%s)", Formats::name_of(best.format),
                              best.seconds / csr.seconds, how);
  else if (std::isinf(uses))
    result.reason = formatted("CSR kept: nothing %s was faster", how);
  else
    result.reason =
        formatted("CSR kept: nothing %s was faster within %.3g SpMVs, conversion included", how, uses);
  if (best.format != FormatName::csr)
    result.pays_after = gain > 0 ? best.conversion_spmvs / gain : std::numeric_limits<double>::infinity();
  result.candidates = std::move(candidates);
  return result;
}

/// select() with all template arguments given.
template <class Formats, class Exec, class Scalar, class Ordinal, class Offset, class Device>
Selection select_format(Exec const& exec, Csr<Scalar const, Ordinal, Offset, Device> const& A, double uses,
                        SelectOptions const& options, std::size_t vector_scalar_bytes) {
  require<InvalidArgument>(uses > 0, [&] {
    return detail::joined("select: uses is ", std::to_string(uses), ", expected more than 0");
  });
  auto const machine = machine_model_of(exec);
  auto const analyzed = structure(exec, A);
  auto result = choose<Formats>(
      estimate_formats<Formats>(analyzed, arch_of<Exec>, machine, sizeof(Scalar), vector_scalar_bytes,
                                sizeof(Ordinal), sizeof(Offset), options.fill_limit),
      uses, "estimated");
  result.structure = analyzed;
  return result;
}

}  // namespace detail

/// The format that minimizes the estimated time of the conversion and `uses` SpMVs with A.
///
///     time(format) = conversion + uses * seconds of make_estimate() (select_model.hpp)
///
/// Nothing is converted. The bandwidth is that of the machine's profile, if there is one (machine_profile.hpp;
/// the file is read once per process), else a constant of the architecture.
///
/// @tparam VectorScalar  scalar of x and y; void: that of A
/// @tparam Formats       formats to compare, CSR among them (format_list.hpp)
/// @param A     num_rows x num_cols, of any shape; not validated
/// @param uses  number of SpMVs, more than 0; infinity: the conversion does not count
/// @throws InvalidArgument (uses), OutOfMemory, OverflowError (structure()), ParseError, IoError (profile)
///
/// Cost: that of structure(). Deterministic: the same structure gives the same choice on every run. The
/// fractions are measured; they are in formats/<format>/traits.hpp.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, class Scalar,
          class Ordinal, class Offset, class Device>
Selection select(Exec const& exec, Csr<Scalar, Ordinal, Offset, Device> const& A,
                 double uses = std::numeric_limits<double>::infinity(), SelectOptions const& options = {}) {
  return detail::select_format<Formats>(exec, Csr<Scalar const, Ordinal, Offset, Device>(A), uses, options,
                                        sizeof(VectorScalarOr<VectorScalar, Scalar>));
}

/// The same for a KokkosSparse::CrsMatrix.
template <class VectorScalar = void, class Formats = BuiltInFormats, ExecutionSpace Exec, CrsMatrixLike Matrix>
Selection select(Exec const& exec, Matrix const& A, double uses = std::numeric_limits<double>::infinity(),
                 SelectOptions const& options = {}) {
  return select<VectorScalar, Formats>(exec, as_csr(A), uses, options);
}

}  // namespace einkorn

#ifdef EINKORN_COMPILED
#include <einkorn/compiled/select.hpp>
#endif
