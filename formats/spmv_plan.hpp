// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn {

/// What repeated SpMVs with one matrix keep between calls: row statistics and the choice made from them, cached
/// transposes, workspace. Each format specialises it beside its kernels (csr/spmv_plan.hpp,
/// csr5/spmv_plan.hpp); make_spmv_plan(exec, matrix, ...) makes one.
///
/// A plan shares the memory of its matrix. It serves one execution-space instance at a time: two SpMVs with one
/// plan that may run at once need two plans. VectorScalar is the scalar of x and y.
template <class Matrix, class VectorScalar>
class SpmvPlan;

}  // namespace einkorn
