// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Every format with its conversions and its spmv. Compiles slowly: include it only where all formats are used.
#include <einkorn/formats/bdia/from_csr.hpp>
#include <einkorn/formats/bdia/spmv.hpp>
#include <einkorn/formats/bdia/to_csr.hpp>
#include <einkorn/formats/brcv/from_csr.hpp>
#include <einkorn/formats/brcv/spmv.hpp>
#include <einkorn/formats/brcv/to_csr.hpp>
#include <einkorn/formats/bsr/from_csr.hpp>
#include <einkorn/formats/bsr/spmv.hpp>
#include <einkorn/formats/bsr/to_csr.hpp>
#include <einkorn/formats/column_blocks/from_csr.hpp>
#include <einkorn/formats/column_blocks/spmv.hpp>
#include <einkorn/formats/column_blocks/to_csr.hpp>
#include <einkorn/formats/coo/from_csr.hpp>
#include <einkorn/formats/coo/spmv.hpp>
#include <einkorn/formats/coo/to_csr.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/csr5/to_csr.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/dia/spmv.hpp>
#include <einkorn/formats/dia/to_csr.hpp>
#include <einkorn/formats/ell/from_csr.hpp>
#include <einkorn/formats/ell/spmv.hpp>
#include <einkorn/formats/ell/to_csr.hpp>
#include <einkorn/formats/hyb/from_csr.hpp>
#include <einkorn/formats/hyb/spmv.hpp>
#include <einkorn/formats/hyb/to_csr.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/formats/sell/to_csr.hpp>
