// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Deprecated: include <einkorn/formats/analysis/select_model.hpp>. This header will be removed after 0.2.
#include <einkorn/formats/analysis/select_model.hpp>
