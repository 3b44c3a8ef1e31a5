// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/types.hpp"

#include <einkorn/formats/analysis/machine_profile.hpp>

#include <string>
#include <vector>

namespace einkorn::perf {

/// Measures copy, stream, gather and launch in rounds for `seconds`, at least three; every figure is a median.
MachineProfile calibrate(Exec const& exec, Bandwidth const& bandwidth, double seconds);

/// The text of a profile: `known` with `measured` in the place of its machine, or behind the others.
std::string profile_text(std::vector<MachineProfile> known, MachineProfile const& measured);

/// Puts `measured` into the file, whose folder is made. Throws IoError; ParseError where the file is no
/// profile, which is then left as it is.
void write_profile(std::string const& path, MachineProfile const& measured);

}  // namespace einkorn::perf
