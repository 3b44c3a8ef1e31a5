// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <string>
#include <vector>

namespace einkorn::program {

/// Replaces this process by another program of the folder of this one. Returns only if that program cannot be started: after
/// a line on stderr, from rank 0 only, the exit code `usage`.
/// @param caller  the name of this program, for the line on stderr
/// @param own_path  argv[0], used where the system does not tell the path of this program
/// @param arguments  without the name of the program
/// @param needed_for  what needs the program, for the line on stderr
int execute(char const* caller, char const* own_path, char const* name,
            std::vector<std::string> const& arguments, std::string const& needed_for);

}  // namespace einkorn::program
