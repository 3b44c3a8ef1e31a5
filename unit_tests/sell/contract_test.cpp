// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "../support/format_contract.hpp"

#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/formats/sell/spmv.hpp>
#include <einkorn/formats/sell/to_csr.hpp>
#include <einkorn/formats/sell/validate.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

namespace einkorn::test {
namespace {

/// Slots of the rows for slices of C rows in the given order.
double slots_of(std::vector<std::size_t> const& lengths, std::size_t C) {
  double slots = 0;
  for (std::size_t first = 0; first < lengths.size(); first += C) {
    auto const end = std::min(first + C, lengths.size());
    std::size_t width = 0;
    for (auto i = first; i < end; ++i) width = std::max(width, lengths[i]);
    slots += static_cast<double>(width) * static_cast<double>(end - first);
  }
  return slots;
}

template <class C>
struct SellSubject {
  using Config = C;
  using Options = SellOptions;
  using Host = HostMatrixOf<C>;
  static constexpr bool isolates_nan = true;

  static std::vector<std::pair<std::string, Options>> variants() {
    return {
        {"default", {}},
        {"C 5, no sorting", {.slice_rows = 5, .sigma = 1}},
        {"C 32, windows of 64", {.slice_rows = 32, .sigma = 64}},
        {"C 16, one window", {.slice_rows = 16, .sigma = 1048576}},
        {"C 1", {.slice_rows = 1}},
        {"compressed", {.indices = Indices::compressed}},
        {"C 5, no sorting, compressed", {.slice_rows = 5, .sigma = 1, .indices = Indices::compressed}},
        {"C 32, windows of 64, compressed", {.slice_rows = 32, .sigma = 64, .indices = Indices::compressed}}};
  }
  template <class Matrix>
  static auto make(Matrix const& A, Options const& options) {
    auto const F = from_csr<Sell>(Space(), A, options);
    validate(Space(), F);
    return F;
  }
  static double stored(Host const& A, Options const& options) {
    auto const slice_rows = static_cast<std::size_t>(
        options.slice_rows == 0 ? sell_slice_rows<Space, typename C::Scalar> : options.slice_rows);
    std::vector<std::size_t> lengths(A.rows());
    for (std::size_t i = 0; i < A.rows(); ++i) lengths[i] = A.end(i) - A.begin(i);
    if (options.sigma > 0) return sorted_slots(lengths, static_cast<std::size_t>(options.sigma), slice_rows);
    auto const entries = static_cast<double>(A.nnz());
    double const unsorted = slots_of(lengths, slice_rows);
    if (unsorted <= 1.05 * entries) return unsorted;
    auto const rounded = [&](std::size_t rows) { return (rows + slice_rows - 1) / slice_rows * slice_rows; };
    if (is_gpu<Space> && A.nnz() <= std::size_t(4) << 20) {
      double const slots = sorted_slots(lengths, rounded(128), slice_rows);
      if (slots <= 2 * entries) return slots;
    }
    return sorted_slots(lengths, rounded(4096), slice_rows);
  }
  static double sorted_slots(std::vector<std::size_t> lengths, std::size_t window, std::size_t slice_rows) {
    for (std::size_t first = 0; first < lengths.size(); first += window)
      std::sort(lengths.begin() + static_cast<std::ptrdiff_t>(first),
                lengths.begin() + static_cast<std::ptrdiff_t>(std::min(first + window, lengths.size())),
                std::greater<>());
    return slots_of(lengths, slice_rows);
  }
  static Host returned(Host const& A) { return A; }
};

EINKORN_INSTANTIATE_FORMAT_CONTRACT(Sell, SellSubject);

}  // namespace
}  // namespace einkorn::test
