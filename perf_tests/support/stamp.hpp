// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "support/context.hpp"

#include <string>

namespace einkorn::perf {

/// Adds machine and build to a JSON record.
template <class Json>
void stamp(Json& record, Context const& context) {
  record["machine"] = context.machine;
  record["backend"] = context.backend;
  record["kokkos_version"] = context.kokkos_version;
  record["commit"] = context.commit;
}

/// Machine and build in one line, without a line feed.
inline std::string stamp_text(Context const& context) {
  return context.machine + ", " + context.backend + ", Kokkos " + context.kokkos_version + ", einkorn " +
         context.commit;
}

}  // namespace einkorn::perf
