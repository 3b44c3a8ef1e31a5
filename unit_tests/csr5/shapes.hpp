// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/types.hpp"

#include <einkorn/core/arch.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>

#include <ostream>
#include <string>
#include <vector>

namespace einkorn {

inline void PrintTo(Csr5Shape const& shape, std::ostream* out) {
  *out << shape.lanes << " lanes, sigma " << shape.sigma;
}

}  // namespace einkorn

namespace einkorn::test {

inline std::string to_string(Csr5Shape const& shape) {
  return std::to_string(shape.lanes) + " lanes, sigma " + std::to_string(shape.sigma);
}

inline Csr5Options options_of(Csr5Shape const& shape) {
  return {.lanes = shape.lanes, .sigma = shape.sigma};
}

/// With compressed indices.
inline Csr5Options coded(Csr5Shape const& shape) {
  auto options = options_of(shape);
  options.indices = Indices::compressed;
  return options;
}

/// The shapes that the kernels of Space support; {0, 0}: by the tuning table.
inline std::vector<Csr5Shape> runnable_shapes() {
  std::vector<Csr5Shape> shapes{{0, 0}};
  if constexpr (is_gpu<Space>)
    for (int const sigma : {1, 4, 7, 8, 16, 32}) shapes.push_back({lockstep_lanes(arch_of<Space>), sigma});
  else
    for (int const lanes : {4, 8, 16})
      for (int const sigma : {1, 4, 7, 16, 32}) shapes.push_back({lanes, sigma});
  return shapes;
}

/// The smallest and the largest tile of these shapes, and one with an odd sigma.
inline std::vector<Csr5Shape> few_shapes() {
  auto const all = runnable_shapes();
  return {all[1], all[3], all.back()};
}

/// These shapes, and those at the limit between descriptors of one and two words.
inline std::vector<Csr5Shape> layout_shapes() {
  auto shapes = runnable_shapes();
  shapes.erase(shapes.begin());
  if constexpr (is_gpu<Space>)
    shapes.insert(shapes.end(), {{lockstep_lanes(arch_of<Space>), 17}, {lockstep_lanes(arch_of<Space>), 18}});
  else
    shapes.insert(shapes.end(), {{4, 23}, {4, 24}, {8, 21}, {8, 22}, {16, 19}, {16, 20}});
  return shapes;
}

}  // namespace einkorn::test
