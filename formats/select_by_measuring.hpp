// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Deprecated: include <einkorn/formats/analysis/select_by_measuring.hpp>. Removed after 0.2.
#include <einkorn/formats/analysis/select_by_measuring.hpp>
