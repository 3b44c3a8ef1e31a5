// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "solve/methods.hpp"
#include "solve/run_time_operator.hpp"
#include "solve/types.hpp"

#include <einkorn/formats/distributed/distributed_csr.hpp>
#include <einkorn/solvers/distributed/operator.hpp>

namespace einkorn::tools {

/// The rows of one rank, up to 2^31 - 1 rows and entries.
template <class Scalar>
using RankMatrix = DistributedCsr<Scalar, int, int, Device>;

/// The product on all ranks; the local part in any format, as on one process.
template <class Scalar>
using RankOperator = DistributedOperator<Scalar, Exec, RankMatrix<Scalar>, RunTimeOperator<Scalar>>;

template <class Scalar>
using DistributedTask = Task<Scalar, RankOperator<Scalar>>;

}  // namespace einkorn::tools
