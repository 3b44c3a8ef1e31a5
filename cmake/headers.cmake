# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: The Einkorn authors
#
# Every header, by the component that brings its dependencies. Listed by hand: a header that is not listed is neither
# installed nor checked by itself (scripts/check_budgets.py names the forgotten one).

set(einkorn_headers
  core/allocate.hpp
  core/arch.hpp
  core/balance/carry.hpp
  core/balance/split.hpp
  core/concepts.hpp
  core/error.hpp
  core/lanes/lanes.hpp
  core/lanes/scalar.hpp
  core/lanes/simd.hpp
  core/lanes/warp.hpp
  core/lanes/wavefront.hpp
  core/lanes/words.hpp
  core/launch.hpp
  core/overlap.hpp
  core/scalar.hpp
  core/update.hpp
  core/version.hpp
  formats/csr/csr.hpp
  formats/csr/detail/merge_tiles.hpp
  formats/csr/detail/plan_choice.hpp
  formats/csr/detail/row_dot.hpp
  formats/csr/detail/spmv_dispatch.hpp
  formats/csr/detail/spmv_row_split.hpp
  formats/csr/detail/spmv_row_team.hpp
  formats/csr/detail/spmv_scatter.hpp
  formats/csr/detail/spmv_segmented_sum.hpp
  formats/csr/detail/spmv_segmented_sum_host.hpp
  formats/csr/detail/transpose_order.hpp
  formats/csr/fingerprint.hpp
  formats/csr/from_triplets.hpp
  formats/csr/row_lengths.hpp
  formats/csr/spmv.hpp
  formats/csr/spmv_plan.hpp
  formats/csr/spmv_tuning.hpp
  formats/csr/transpose.hpp
  formats/csr/validate.hpp
  formats/csr5/csr5.hpp
  formats/csr5/csr5_tuning.hpp
  formats/csr5/descriptor.hpp
  formats/csr5/detail/build_tiles.hpp
  formats/csr5/detail/spmv_tiles.hpp
  formats/csr5/detail/spmv_tiles_host.hpp
  formats/csr5/detail/transpose_tiles.hpp
  formats/csr5/from_csr.hpp
  formats/csr5/spmv.hpp
  formats/csr5/to_csr.hpp
  formats/from_csr.hpp
  formats/spmv_checks.hpp
  formats/spmv_options.hpp
  formats/spmv_plan.hpp)

set(einkorn_io_headers
  core/io/detail/matrix_market_duplicates.hpp
  core/io/detail/matrix_market_entries.hpp
  core/io/detail/matrix_market_header.hpp
  core/io/detail/matrix_market_lines.hpp
  core/io/detail/matrix_market_number.hpp
  core/io/detail/matrix_market_parser.hpp
  core/io/detail/matrix_market_scalar.hpp
  core/io/detail/matrix_market_text.hpp
  core/io/detail/matrix_market_writer.hpp
  core/io/detail/text_file.hpp
  core/io/matrix_market.hpp
  core/io/matrix_market_types.hpp
  core/io/triplets.hpp)

set(einkorn_kokkos_kernels_headers
  formats/interop/kokkos_kernels.hpp)

set(einkorn_cusparse_headers
  formats/csr/vendor/cusparse_spmv.hpp)
