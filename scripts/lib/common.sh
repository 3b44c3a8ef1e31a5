# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
# shellcheck shell=bash
#
# Sourced by the scripts: progress on stderr, failure in one line, Debian packages, Kokkos, the build.

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${EINKORN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/einkorn}
# Clones in different directories share a compiler cache: ccache stores paths relative to the clone.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$repo} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
# Required by ccache for precompiled headers.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}

say() { printf '[%d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# need_packages PACKAGE...: installs missing packages on Debian; on other systems the tools must exist.
need_packages() {
  if ! command -v apt-get >/dev/null; then
    local tool
    for tool in g++ cmake ninja python3; do
      command -v "$tool" >/dev/null || die "$tool is missing and this is no Debian: install g++ cmake ninja python3, GoogleTest and zlib"
    done
    return
  fi
  local missing=() as_root=() package
  for package; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      die "no root rights: install first, as root: apt-get install ${missing[*]}"
    fi
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  local log; log=$(mktemp)
  { "${as_root[@]}" apt-get -qq update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qqy install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
    die "apt-get could not install ${missing[*]}: $(grep -m1 '^E:' "$log") (all of it: $log)"
  rm -f "$log"
}

need_build_packages() {
  need_packages ca-certificates cmake g++ libbenchmark-dev libcli11-dev libeigen3-dev libgtest-dev libopenmpi-dev ninja-build \
    nlohmann-json3-dev openmpi-bin python3 zlib1g-dev
}

# use_kokkos: sets kokkos_root to Kokkos_ROOT of the caller, or else to a copy in the cache, created once.
use_kokkos() {
  kokkos_root=${Kokkos_ROOT:-}
  if [ -n "$kokkos_root" ]; then
    [ -d "$kokkos_root" ] || die "Kokkos_ROOT=$kokkos_root is no directory"
    say "Kokkos: $kokkos_root (Kokkos_ROOT)"
    return
  fi
  # The name contains the checksum of the scripts: a change of a script creates a new prefix.
  local prefix; prefix=$cache/kokkos-$(cat "$repo"/scripts/kokkos/* | cksum | cut -d' ' -f1)
  kokkos_root=$prefix/usr
  mkdir -p "$cache"
  (
    flock 9
    [ ! -e "$prefix/complete" ] || exit 0
    say "Kokkos and Kokkos Kernels: unpacking into $prefix"
    "$repo/scripts/kokkos/get.sh" "$prefix" && touch "$prefix/complete"
  ) 9>"$cache/lock" || exit 1
}

# debian_mirror: the mirror that apt uses on this machine.
debian_mirror() {
  local codename; codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  apt-get update --print-uris | sed -n "s,^'\(.*\)/dists/$codename/InRelease'.*,\1,p" | head -n 1
}

# make_debian_root ROOT: a minimal Debian sid in a new folder ROOT, whose apt asks nothing; the output is in ROOT.log.
make_debian_root() {
  local root=$1
  [ ! -e "$root" ] || die "$root exists and is not complete: remove it or choose another"
  need_packages debootstrap
  say "debootstrap into $root"
  debootstrap --variant=minbase sid "$root" "$(debian_mirror)" >"$root.log" 2>&1 || die "debootstrap failed: see $root.log"
  cat >"$root/etc/apt/apt.conf.d/99einkorn" <<'APT'
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dpkg::Use-Pty "0";
APT
}

# public_headers: an #include of each public header of Einkorn::einkorn.
public_headers() {
  sed -n '/^set(einkorn_headers/,/)/p' "$repo/cmake/headers.cmake" | grep -oE '[a-z0-9_/]+\.hpp' | grep -v /detail/ |
    sed 's,.*,#include <einkorn/&>,'
}

# jobs: the number of parallel compilers, limited by cores and by memory at 2 GiB each.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 2097152)}' /proc/meminfo)
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}

# background COMMAND [ARGUMENT...]: runs a command or function in the background, at most as many at a time as jobs says.
# wait_for_all: waits for all of them; fails if one failed.
background() {
  most_jobs=${most_jobs:-$(jobs)} running=${running:-0} failed=${failed:-0}
  if [ "$running" -ge "$most_jobs" ]; then wait_for_one; fi
  "$@" &
  running=$((running + 1))
}
wait_for_one() {
  wait -n || failed=1
  running=$((running - 1))
}
wait_for_all() {
  while [ "${running:-0}" -gt 0 ]; do wait_for_one; done
  [ "${failed:-0}" -eq 0 ]
}

# configure BUILD [CMAKE ARGUMENT...]: configures for the CPU of this machine, with ccache if installed; from scratch if
# BUILD was configured with another Kokkos.
configure() {
  local build=$1 arguments=() log; shift
  if [ -f "$build/CMakeCache.txt" ] && ! grep -q "^CMAKE_PREFIX_PATH:[A-Z]*=$kokkos_root\$" "$build/CMakeCache.txt"; then
    arguments+=(--fresh)
  fi
  if command -v ccache >/dev/null; then
    arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  say "configuring ${build#"$repo"/}"
  mkdir -p "$build"
  log=$build/configure.log
  cmake -S "$repo" -B "$build" -G Ninja "-DCMAKE_PREFIX_PATH=$kokkos_root" -DEinkorn_HOST_SIMD=auto \
    -DEinkorn_ENABLE_COMPILED=ON -DEinkorn_COMPILED_TYPES=double,int,int \
    "${arguments[@]}" "$@" >"$log" 2>&1 ||
    { cat "$log" >&2; die "cmake could not configure: read the error above, or remove $build and start again"; }
}

# build BUILD TARGET...
build() {
  local build=$1 start=$SECONDS; shift
  say "building $*"
  # Only the last part of the path.
  NINJA_STATUS='[%f/%t, %e s] ' ninja -C "$build" -j "$(jobs)" "$@" |
    sed -u -E 's,^(\[[^]]*\]) (Building|Linking) [^/]*/.*/,\1 \2 ,; /^ninja: Entering/d' >&2 || die "the build of $* failed: see the compiler's message above"
  say "built in $((SECONDS - start)) s"
}
