// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/convert.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/select.hpp>

namespace einkorn::tools {

template <>
Converted<double> convert(Exec const& exec, Matrix<double> const& A, std::optional<FormatName> format,
                          std::int64_t products) {
  using Result = Converted<double>;
  if (format)
    return Result{AnyOperator(make_any_matrix(exec, A, *format)), std::string(name_of(*format)) + ", as asked"};
  auto const choice = select(exec, A, static_cast<double>(products));
  try {
    return Result{AnyOperator(make_any_matrix(exec, A, choice.format)), choice.reason};
  } catch (FillLimit const& refusal) {
    return Result{AnyOperator(make_any_matrix(exec, A, FormatName::csr)),
                  std::string("csr: ") + refusal.what()};
  }
}

template <>
Converted<Kokkos::complex<double>> convert(Exec const& exec, Matrix<Kokkos::complex<double>> const& A,
                                           std::optional<FormatName> format, std::int64_t) {
  require<InvalidArgument>(!format || *format == FormatName::csr, [&] {
    return "--format " + std::string(name_of(*format)) + ": complex matrices are multiplied in csr only";
  });
  return {RunTimeOperator<Kokkos::complex<double>>(make_spmv_plan(exec, A)), "csr, as all complex matrices"};
}

}  // namespace einkorn::tools
