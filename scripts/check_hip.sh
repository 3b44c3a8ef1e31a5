#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_hip.sh ROOT [ARCHITECTURE]     compiles every public function for AMD GPUs (default gfx942), without a GPU
#
# Creates in ROOT, once, a Debian sid tree with hipcc and the headers of Kokkos (1 GB, one minute; needs root). Compiles
# only: Debian has no Kokkos library for HIP to link with.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

root=$(realpath -m "${1:?usage: check_hip.sh ROOT [ARCHITECTURE]}")
architecture=${2:-gfx942}
[ "$(id -u)" -eq 0 ] || die "needs root for its chroot: run it with sudo"

if [ ! -e "$root/complete" ]; then
  make_debian_root "$root"
  say "installing hipcc and Kokkos' headers"
  { chroot "$root" apt-get -qq update &&
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get -qqy install hipcc libamdhip64-dev libkokkos-dev &&
    chroot "$root" apt-get clean; } >>"$root.log" 2>&1 || die "the installation in $root failed: see $root.log"
  touch "$root/complete"
fi

work=$root/einkorn
rm -rf "$work"
mkdir -p "$work/include/einkorn"
"$repo/scripts/kokkos/backend_config.sh" "$root/usr/include/kokkos" "$work/config" HIP SERIAL \
  KOKKOS_ARCH_AMD_GPU "KOKKOS_ARCH_AMD_${architecture^^}"
for part in core formats solvers; do
  if [ -d "$repo/$part" ]; then cp -r "$repo/$part" "$work/include/einkorn/"; fi
done
cp "$repo/unit_tests/compile_only/"public_{comm,distributed,functions,multigrid,solvers,spgemm}.cpp "$work/"
public_headers >"$work/headers.hpp"  # also those that public_functions.cpp omits

# compile <file> <option>...; hipcc needs /proc.
compile() {
  # shellcheck disable=SC2016
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" \
    hipcc -c -std=c++20 -O2 -Wall -Wextra "--offload-arch=$architecture" -DKOKKOS_DEPENDENCE \
    -DEINKORN_TEST_SPACE=Kokkos::HIP -I/einkorn/include -isystem /einkorn/config -isystem /usr/include/kokkos \
    "${@:2}" "/einkorn/$1.cpp" -o "/einkorn/$1.o" ||
    die "a public function does not compile for $architecture: see hipcc's message above"
}
say "compiling $(wc -l <"$work/headers.hpp") headers, public_{comm,distributed,functions,multigrid,solvers,spgemm}.cpp for $architecture"
compile public_functions -include /einkorn/headers.hpp
compile public_solvers
compile public_spgemm
compile public_comm
compile public_distributed
compile public_multigrid
say "compiles for $architecture"
