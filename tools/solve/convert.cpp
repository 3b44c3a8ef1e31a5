// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/convert.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/any_matrix.hpp>

namespace einkorn::tools {

namespace {

/// Explicit template arguments of AnyOperator, because nvcc 13 omits class template argument deduction in a
/// braced initializer from the code for the host compiler.
Converted<double> convert_to(Exec const& exec, Matrix<double> const& A, FormatName format,
                             std::string const& reason) {
  RunTimeOperator<double> const product(make_any_matrix(exec, A, format));
  return Converted<double>{product, format, reason};
}

}  // namespace

template <>
Converted<double> convert(Exec const& exec, Matrix<double> const& A, std::optional<FormatName> format,
                          std::int64_t products) {
  if (format) return convert_to(exec, A, *format, std::string(name_of(*format)) + ", as requested");
  auto const choice = select(exec, A, static_cast<double>(products));
  try {
    return convert_to(exec, A, choice.format, choice.reason);
  } catch (FillLimit const& refusal) {
    return convert_to(exec, A, FormatName::csr, std::string("csr: ") + refusal.what());
  }
}

template <>
Converted<Kokkos::complex<double>> convert(Exec const& exec, Matrix<Kokkos::complex<double>> const& A,
                                           std::optional<FormatName> format, std::int64_t) {
  require<InvalidArgument>(!format || *format == FormatName::csr, [&] {
    return "--format " + std::string(name_of(*format)) + ": complex matrices are supported in csr only";
  });
  RunTimeOperator<Kokkos::complex<double>> const product(make_spmv_plan(exec, A));
  return Converted<Kokkos::complex<double>>{product, FormatName::csr,
                                            "csr, the only format for complex matrices"};
}

}  // namespace einkorn::tools
