// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/types.hpp"

#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/operator.hpp>

#include <type_traits>

namespace einkorn::tools {

/// The operator of a solve: any format for a real matrix, CSR for a complex one. Ten formats for two scalars
/// would double the compile time of this program.
template <class Scalar>
using RunTimeOperator =
    typename std::conditional_t<is_complex<Scalar>,
                                std::type_identity<SpmvOperator<SpmvPlan<Matrix<Scalar>, Scalar>>>,
                                std::type_identity<AnyOperator<AnyMatrix<Scalar, int, int, Device>>>>::type;

}  // namespace einkorn::tools
