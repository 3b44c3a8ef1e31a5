#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_tpetra.sh ROOT [RANKS...]     Einkorn::tpetra with Trilinos 17, on RANKS ranks (default 2)
#
# Creates in ROOT, once, a Debian sid tree with Trilinos of Debian experimental (1.8 GB, two minutes; needs root). Installs
# Einkorn there, builds unit_tests/interop and docs/snippets/trilinos.cpp with find_package(Einkorn) and runs them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

root=$(realpath -m "${1:?usage: check_tpetra.sh ROOT [RANKS...]}")
ranks=("${@:2}")
[ ${#ranks[@]} -gt 0 ] || ranks=(2)
[ "$(id -u)" -eq 0 ] || die "needs root for its chroot: run it with sudo"

if [ ! -e "$root/complete" ]; then
  make_debian_root "$root"
  mirror=$(debian_mirror)
  printf 'deb %s sid main\ndeb %s experimental main\n' "$mirror" "$mirror" >"$root/etc/apt/sources.list"
  say "installing Trilinos"
  packages=()
  # Tpetra, Belos, Ifpack2, MueLu, and what their CMake packages include.
  for name in kokkos kokkos-kernels teuchos tpetra belos xpetra thyra rtop ifpack2 muelu amesos2 anasazi intrepid2 sacado shards shylu \
      stratimikos teko zoltan zoltan2; do
    packages+=("libtrilinos-$name-dev/experimental")
  done
  { chroot "$root" apt-get -qq update &&
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get -qqy install g++ cmake ninja-build libgtest-dev zlib1g-dev \
      openmpi-bin libopenmpi-dev libboost-dev libhdf5-dev libmumps-dev libptscotch-dev libscotch-dev trilinos-dev/experimental "${packages[@]}" &&
    chroot "$root" apt-get clean; } >>"$root.log" 2>&1 || die "the installation in $root failed: see $root.log"
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
    exec chroot "$root" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 "$@"' "$root" "$repo" "$@"
}
# build <name> <source> <target> <option>...
build() {
  say "building $1"
  { inside cmake -S "$2" -B "/einkorn/build/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release "${@:4}" &&
    inside cmake --build "/einkorn/build/$1" --target "$3" -j "$(jobs)"; } >"$work/$1.log" 2>&1 ||
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
build tests /einkorn/source/unit_tests einkorn.test.interop.tpetra -DCMAKE_PREFIX_PATH=/einkorn/prefix -DEinkorn_TEST_SPACES=Serial
for name in belos muelu; do
  build tests /einkorn/source/unit_tests "einkorn.test.interop.$name"
done
pattern=$(IFS='|'; echo "${ranks[*]}")
inside ctest --test-dir /einkorn/build/tests -R "interop\.(tpetra|belos|muelu).*ranks_($pattern)\$" --no-tests=error --output-on-failure >&2 ||
  die "a test fails"
say "Einkorn::tpetra: passed on ${ranks[*]} ranks"
