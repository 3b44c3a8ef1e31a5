#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_tpetra.sh [--if-available] [ROOT [RANKS...]]     Einkorn::tpetra with Trilinos 17, on RANKS ranks (default 2)
#
# Creates in ROOT (default: in the cache), once, a Debian sid tree with Trilinos of Debian experimental (1.8 GB, one
# minute; needs root). Installs Einkorn there, builds unit_tests/interop, docs/snippets/trilinos.cpp and einkorn.perf.belos
# with find_package(Einkorn) and runs them: four minutes on two cores.
# --if-available: where the tree cannot be created or entered, checks nothing and succeeds.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

unavailable=die
if [ "${1:-}" = --if-available ]; then
  shift
  unavailable() { say "Einkorn::tpetra is not checked: $*"; exit 0; }
  unavailable=unavailable
fi
packages=(kokkos kokkos-kernels teuchos tpetra belos xpetra thyra rtop ifpack2 muelu amesos2 anasazi intrepid2 sacado shards
  shylu stratimikos teko zoltan zoltan2)  # Tpetra, Belos, Ifpack2, MueLu, and what their CMake packages include
packages=("${packages[@]/#/libtrilinos-}")
packages=(g++ ccache cmake ninja-build libgtest-dev zlib1g-dev openmpi-bin libopenmpi-dev libboost-dev libhdf5-dev libmumps-dev
  libptscotch-dev libscotch-dev libcli11-dev nlohmann-json3-dev trilinos-dev/experimental "${packages[@]/%/-dev/experimental}")
# The name contains the checksum of the list: another list creates a new tree.
root=$(realpath -m "${1:-$cache/trilinos-$(cksum <<<"${packages[*]}" | cut -d' ' -f1)}")
ranks=("${@:2}")
[ ${#ranks[@]} -gt 0 ] || ranks=(2)
[ "$(id -u)" -eq 0 ] || $unavailable "needs root for its chroot: run it with sudo"
unshare --mount mount -t tmpfs none /mnt 2>/dev/null || $unavailable "this machine does not allow mounts"

if [ ! -e "$root/complete" ]; then
  if [ $# -eq 0 ]; then rm -rf "$root"; fi  # what an interrupted run left in the cache
  mkdir -p "$(dirname "$root")"
  (make_debian_root "$root") || $unavailable "no Debian sid, see above"
  mirror=$(debian_mirror)
  printf 'deb %s sid main\ndeb %s experimental main\n' "$mirror" "$mirror" >"$root/etc/apt/sources.list"
  say "installing Trilinos"
  { chroot "$root" apt-get -qq update &&
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get -qqy install "${packages[@]}" &&
    chroot "$root" apt-get clean; } >>"$root.log" 2>&1 || $unavailable "the installation in $root failed: see $root.log"
  # The package of Zoltan2 looks for Scotch outside of cmake/.
  for folder in "$root"/usr/lib/*/cmake/trilinos_external_packages; do
    ln -sfn cmake/trilinos_external_packages "$(dirname "$folder")/../external_packages"
  done
  touch "$root/complete"
fi

work=$root/einkorn
mkdir -p "$work/source"
# inside <command>...: in the tree, with /proc, /sys and this clone as /einkorn/source.
inside() {
  # shellcheck disable=SC2016
  unshare --mount sh -c 'root=$0 repo=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount --bind "$repo" "$root/einkorn/source" &&
    exec chroot "$root" env CCACHE_DIR=/einkorn/ccache OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 "$@"' "$root" "$repo" "$@"
}
inside true || $unavailable "$root cannot be entered"
# build <name> <source> <targets> <option>...
build() {
  say "building $1"
  # shellcheck disable=SC2086
  { inside cmake -S "$2" -B "/einkorn/build/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "${@:4}" &&
    inside cmake --build "/einkorn/build/$1" --target $3 -j "$(jobs)"; } >"$work/$1.log" 2>&1 ||
    { grep -m 5 -A 5 -E 'error|Error' "$work/$1.log" >&2; die "$1 does not build: see $work/$1.log"; }
}

build einkorn /einkorn/source install -DEinkorn_ENABLE_TPETRA=ON -DEinkorn_ENABLE_KOKKOS_KERNELS=OFF -DEinkorn_ENABLE_TESTS=OFF \
  -DEinkorn_ENABLE_PERF_TESTS=OFF -DEinkorn_ENABLE_TOOLS=OFF -DEinkorn_ENABLE_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=/einkorn/prefix
build example /einkorn/source/unit_tests/install/tpetra all -DCMAKE_PREFIX_PATH=/einkorn/prefix
for n in "${ranks[@]}"; do
  say "the example of docs/trilinos.md on $n ranks"
  inside timeout 120 mpirun --oversubscribe --bind-to none -np "$n" /einkorn/build/example/app >&2 ||
    die "the example fails on $n ranks"
done
build tests /einkorn/source/unit_tests "$(printf 'einkorn.test.interop.%s ' tpetra_types tpetra belos muelu)" \
  -DCMAKE_PREFIX_PATH=/einkorn/prefix -DEinkorn_TEST_SPACES=Serial -DEinkorn_PRECOMPILED_HEADERS=OFF
pattern=$(IFS='|'; echo "${ranks[*]}")
inside ctest --test-dir /einkorn/build/tests -R "interop\.(tpetra|belos|muelu).*ranks_($pattern)\$" --no-tests=error --output-on-failure >&2 ||
  die "a test fails"
build perf /einkorn/source/perf_tests einkorn.perf.belos -DCMAKE_PREFIX_PATH=/einkorn/prefix
inside timeout 120 mpirun --oversubscribe --bind-to none -np "${ranks[0]}" /einkorn/build/perf/einkorn.perf.belos gen:stencil7:20 \
  --repeat 1 --json /einkorn/build/perf/belos.json >&2 || die "einkorn.perf.belos fails"
say "Einkorn::tpetra: passed on ${ranks[*]} ranks"
