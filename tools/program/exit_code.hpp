// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn::program {

/// Exit codes of all programs. negative_result: the computation ran but failed, see --help of the program.
enum Exit { done = 0, negative_result = 1, usage = 2, bad_input = 3, no_memory_or_device = 4 };

}  // namespace einkorn::program
