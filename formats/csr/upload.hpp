// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

// Deprecated: include <einkorn/formats/interop/upload.hpp>. This header will be removed after 0.2.
#include <einkorn/formats/interop/upload.hpp>
