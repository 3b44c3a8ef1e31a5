#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# check_spack.sh [VARIANTS]   the recipe in spack/: check_recipe.py; then, with a Spack 1.0 or newer (SPACK_ROOT, or spack in
#                             PATH): its audit, eight combinations of variants that concretise and two that must not, an
#                             installation of HEAD of this clone with VARIANTS (default: those of Kokkos and +mpi) against an
#                             external Kokkos for CPUs (Kokkos_ROOT, or that of the scripts), and its stand-alone tests.
#                             Other packages are those of the configuration of Spack (spack external find cmake openmpi)
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

"$repo/scripts/check_recipe.py"
spack=$(command -v spack || true)
if [ -x "${SPACK_ROOT:-}/bin/spack" ]; then spack=$SPACK_ROOT/bin/spack; fi
if [ -z "$spack" ]; then say "Spack: not found (SPACK_ROOT, PATH), only the recipe was read"; exit; fi
use_kokkos

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/repository" "$work/installation"
printf 'repos:\n  einkorn: %s\n' "$repo/spack/spack_repo/einkorn" >"$work/repository/repos.yaml"

# The installation: sources of HEAD, the external Kokkos, and folders that are removed at the end.
[ -z "$(git -C "$repo" status --porcelain)" ] || say "uncommitted changes outside of spack/ are not installed"
git clone -q "$repo" "$work/source"
git -C "$work/source" checkout -q -B main "$(git -C "$repo" rev-parse HEAD)"
config() { find "$kokkos_root/" -name "$1" -exec sed -nE "s/^set\($2 \"?([^\")]*)\"?\)/\1/p" {} + | head -n 1; }
version=$(config KokkosConfigVersion.cmake PACKAGE_VERSION)
devices=$(config KokkosConfigCommon.cmake Kokkos_DEVICES | tr '[:upper:];' '[:lower:] ')
standard=$(config KokkosConfigCommon.cmake Kokkos_CXX_STANDARD)
[ -n "$version" ] || die "$kokkos_root has no KokkosConfigVersion.cmake"
backends=""
for backend in serial openmp threads; do
  case " $devices " in *" $backend "*) backends+=+$backend ;; *) backends+="~$backend" ;; esac
done
cat >"$work/installation/packages.yaml" <<END
packages:
  einkorn:
    package_attributes:
      git: file://$work/source
  kokkos:
    buildable: false
    externals:
    - spec: kokkos@$version$backends~cuda~rocm cxxstd=$standard
      prefix: $kokkos_root
END
cat >"$work/installation/config.yaml" <<END
config:
  install_tree:
    root: $work/installed
  build_stage: [$work/stage]
  test_stage: $work/tests
END
variants=${1:-+mpi$(grep -o '+openmp' <<<"$backends" || true)}

run_spack() { "$spack" -C "$work/repository" "$@" >"$work/log" 2>&1; }
concretise() {  # concretise SPEC PATTERN: PATTERN is in the result
  local start=$SECONDS
  run_spack spec "$1" || { tail -n 20 "$work/log" >&2; die "spack spec $1 fails"; }
  grep -qE "$2" "$work/log" || { cat "$work/log" >&2; die "spack spec $1: no $2"; }
  say "spack spec $1: $((SECONDS - start)) s, $(grep -c '^ *\(-\|\[.\]\)' "$work/log") packages"
}
refuse() {  # refuse SPEC
  if run_spack spec "$1"; then die "spack spec $1 succeeds"; fi
  say "spack spec $1: refused"
}

say "$("$spack" --version): audit"
run_spack audit packages einkorn || { cat "$work/log" >&2; die "spack audit packages einkorn"; }
concretise "einkorn" 'kokkos@5.*cxxstd=20'
concretise "einkorn~io" 'einkorn@[0-9].*~io'
concretise "einkorn+tools+compiled" '\^cli11'
concretise "einkorn+openmp+mpi" '\^kokkos@.*\+openmp'
concretise "einkorn+kokkos_kernels ^kokkos@4.7.04" '\^kokkos-kernels@4\.7\.04'
concretise "einkorn+cuda cuda_arch=90 +mpi+nccl ^kokkos@4.7.04+wrapper" '\^kokkos-nvcc-wrapper@4\.7\.04'
concretise "einkorn+cuda cuda_arch=80 ~cusparse ^kokkos+cmake_lang" '\^kokkos@.*\+cmake_lang.*cuda_arch=80'
concretise "einkorn+rocm amdgpu_target=gfx942" '\^kokkos@.*\+rocm.*amdgpu_target=gfx942'
refuse "einkorn+cuda"
refuse "einkorn~io+tools"

say "installing einkorn@main$variants with Kokkos $version$backends"
start=$SECONDS
run_spack -C "$work/installation" install --no-cache --fail-fast --show-log-on-error "einkorn@main$variants" ||
  { tail -n 60 "$work/log" >&2; die "spack install einkorn@main$variants"; }
say "installed in $((SECONDS - start)) s"
start=$SECONDS
OMP_PROC_BIND=false run_spack -C "$work/installation" test run --alias einkorn einkorn ||
  { tail -n 60 "$work/log" >&2; find "$work/tests" -name '*-out.txt' -exec tail -n 60 {} + >&2; die "spack test run einkorn"; }
run_spack -C "$work/installation" test results -l einkorn
grep -E '^(PASSED|SKIPPED|FAILED): ' "$work/log" >&2 || cat "$work/log" >&2
say "stand-alone tests passed in $((SECONDS - start)) s"
