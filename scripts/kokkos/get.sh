#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# get.sh PREFIX      Kokkos 5 (OpenMP) and Kokkos Kernels (headers) in PREFIX/usr, for Debian 12's own g++ and glibc
#
# Unpacks binary packages of newer Debian suites in PREFIX (no root, no installation), because Debian 12 has no current
# Kokkos. Their library requires three symbol versions that Debian 12 lacks: retarget.py renames them, and
# libkokkosshim.so (shim.cpp) provides the functions. Any other missing symbol makes this script fail.
#   EINKORN_DEBS   folder with the three packages, instead of the newer suites
set -euo pipefail
prefix=$(realpath -m "${1:?usage: get.sh PREFIX}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../lib/common.sh"

[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] ||
  die "the packages serve Debian on x86-64 only: set Kokkos_ROOT to an installed Kokkos (4.6 or newer)"
[ ! -e "$prefix" ] || [ -d "$prefix/.work" ] || die "$prefix exists and is not this script's: choose another"
rm -rf "$prefix"
work=$prefix/.work
mkdir -p "$work"/{lists/partial,cache/archives/partial,debs}

# The newer suites of the mirror that this machine uses already, through an apt of their own.
download() {
  local mirror keyring=/usr/share/keyrings/debian-archive-keyring.gpg suite runtime apt
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || return 1
  for suite in sid experimental; do echo "deb [signed-by=$keyring] $mirror $suite main"; done >"$work/sources.list"
  : >"$work/status"
  # The age of the index files is not checked (a mirror may be frozen); their signatures are.
  apt=(-o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
    -o "Dir::State=$work" -o "Dir::State::lists=$work/lists" -o "Dir::State::status=$work/status"
    -o "Dir::Cache=$work/cache" -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none
    -o Acquire::Retries=3 -o APT::Sandbox::User= -o Debug::NoLocking=1 -o APT::Update::Error-Mode=any)
  apt-get "${apt[@]}" -qq update || return 1
  runtime=$(apt-cache "${apt[@]}" depends libkokkos-dev/sid 2>/dev/null | awk '/Depends: libkokkos/ {print $2; exit}')
  [ -n "$runtime" ] || return 1
  (cd "$work/debs" && apt-get "${apt[@]}" -qq download libkokkos-dev/sid "$runtime/sid" libtrilinos-kokkos-kernels-dev/experimental)
}

if [ -n "${EINKORN_DEBS:-}" ]; then
  cp "$EINKORN_DEBS"/libkokkos*.deb "$EINKORN_DEBS"/libtrilinos-kokkos-kernels-dev_*.deb "$work/debs/" 2>/dev/null ||
    die "EINKORN_DEBS=$EINKORN_DEBS must hold libkokkos-dev, libkokkos<version> and libtrilinos-kokkos-kernels-dev (.deb)"
else
  download >"$work/download.log" 2>&1 ||
    die "Debian's sid and experimental suites give no Kokkos ($work/download.log): set EINKORN_DEBS to a folder with its .debs, or Kokkos_ROOT"
fi
for deb in "$work"/debs/libkokkos*.deb; do dpkg -x "$deb" "$prefix"; done

libraries=$prefix/usr/lib/x86_64-linux-gnu
targets=$libraries/cmake/Kokkos/KokkosTargets.cmake
core=$(readlink -f "$libraries/libkokkoscore.so")
for library in algorithms simd; do   # empty archives that the CMake files name and the package lacks
  [ -e "$libraries/libkokkos$library.a" ] || ar qc "$libraries/libkokkos$library.a"
done
python3 "$here/retarget.py" "$core" "$core.new" >"$work/retarget.log"
mv "$core.new" "$core"
g++ -O2 -fPIC -shared -Wl,-soname,libkokkosshim.so "-Wl,--version-script=$here/shim.map" "$here/shim.cpp" \
  -o "$libraries/libkokkosshim.so"
sed -i "s,\"/usr/include/kokkos\",\"$prefix/usr/include/kokkos\",g
  s#INTERFACE_LINK_LIBRARIES \"OpenMP::OpenMP_CXX;dl\"#INTERFACE_LINK_LIBRARIES \"OpenMP::OpenMP_CXX;$libraries/libkokkosshim.so;dl\"#" "$targets"
grep -q libkokkosshim "$targets" || die "Kokkos' CMake files have changed their form: set Kokkos_ROOT to an installed Kokkos"

# A program that links everything and resolves every symbol at start.
echo 'int main() {}' >"$work/link.cpp"
if ! { g++ "$work/link.cpp" -o "$work/link" "-L$libraries" "-Wl,-rpath,$libraries" -Wl,--no-as-needed \
  -lkokkoscore -lkokkoscontainers -lkokkosshim && LD_BIND_NOW=1 "$work/link"; } >"$work/link.log" 2>&1; then
  die "Debian's Kokkos needs more than this system has ($work/link.log): set Kokkos_ROOT to an installed Kokkos"
fi

"$here/kernels_headers.sh" "$work"/debs/libtrilinos-kokkos-kernels-dev_*.deb "$prefix/usr" OPENMP
rm -rf "$work"/{lists,cache,link,link.cpp}
