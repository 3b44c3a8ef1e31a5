// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/bandwidth.hpp"
#include "support/types.hpp"

#include <einkorn/formats/analysis/machine_profile.hpp>

#include <string>
#include <vector>

namespace einkorn::perf {

/// Measures copy, stream, gather and launch in at least three rounds for `seconds`; returns the medians.
MachineProfile calibrate(Exec const& exec, Bandwidth const& bandwidth, double seconds);

/// The text of a profile: `known`, with the entry of the machine of `measured` replaced or appended.
std::string profile_text(std::vector<MachineProfile> known, MachineProfile const& measured);

/// Writes `measured` into the file and creates its folder.
/// @throws IoError
/// @throws ParseError if the file exists and is not a profile; it is not changed
void write_profile(std::string const& path, MachineProfile const& measured);

}  // namespace einkorn::perf
