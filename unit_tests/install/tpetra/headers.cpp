// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include <einkorn/formats/interop/tpetra_distributed.hpp>
#include <einkorn/formats/interop/tpetra_operator.hpp>
#include <einkorn/formats/interop/tpetra_preconditioner.hpp>
#include <einkorn/solvers/interop/belos_cg.hpp>
