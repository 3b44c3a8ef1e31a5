#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# backend_config.sh KOKKOS_INCLUDE DIRECTORY HIP|CUDA SERIAL|OPENMP KOKKOS_ARCH_MACRO...
#
# Creates configuration headers of Kokkos for a device that the installed Kokkos was not built for. With DIRECTORY before
# KOKKOS_INCLUDE on the include path, device code compiles but does not link.
set -euo pipefail
kokkos=$1 directory=$2 device=$3 host=$4
shift 4
mkdir -p "$directory/desul/atomics"

config=$directory/KokkosCore_config.h
sed -E "s,^#define KOKKOS_ENABLE_OPENMP$,/* #undef KOKKOS_ENABLE_OPENMP */,
  s,^/\* #undef (KOKKOS_ENABLE_($device|$host)) \*/,#define \1," "$kokkos/KokkosCore_config.h" >"$config"
for macro; do
  sed -i -E "s,^/\* #undef ($macro) \*/,#define \1," "$config"
  grep -q "define $macro$" "$config" || { echo "backend_config.sh: this Kokkos does not have $macro" >&2; exit 1; }
done
sed -E "s,^/\* #undef (DESUL_ATOMICS_ENABLE_$device) \*/,#define \1," "$kokkos/desul/atomics/Config.hpp" \
  >"$directory/desul/atomics/Config.hpp"

# dispatcher NAME GUARD INCLUDE...
dispatcher() {
  local name=$1 guard=$2 include; shift 2
  {
    printf '#ifndef %s\n#define %s\n' "$guard" "$guard"
    for include; do printf '#include <%s>\n' "$include"; done
    printf '#endif\n'
  } >"$directory/$name"
}
setup=$device
if [ "$device" = CUDA ]; then setup=Cuda; fi
dispatcher KokkosCore_Config_SetupBackend.hpp KOKKOS_SETUP_HPP_ "setup/Kokkos_Setup_$setup.hpp"
dispatcher KokkosCore_Config_FwdBackend.hpp KOKKOS_FWD_HPP_ {"fwd/Kokkos_Fwd_$host.hpp","fwd/Kokkos_Fwd_$device.hpp"}
dispatcher KokkosCore_Config_DeclareBackend.hpp KOKKOS_DECLARE_HPP_ \
  {"decl/Kokkos_Declare_$host.hpp","decl/Kokkos_Declare_$device.hpp"}
