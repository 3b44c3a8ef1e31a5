// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

namespace einkorn::program {

/// What every program of ours returns. 1 is a result that is not the one hoped for; see the program's --help.
enum Exit { done = 0, negative_result = 1, usage = 2, bad_input = 3, no_memory_or_device = 4 };

}  // namespace einkorn::program
