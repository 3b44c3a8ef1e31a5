// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "../support/vectors.hpp"
#include "shapes.hpp"

#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>

#include <gtest/gtest.h>

namespace einkorn::test {

/// y <- alpha F x + beta y with and without a plan, for all layouts of x and y.
template <class S, class VS>
void expect_csr5_products_of_every_form() {
  for (auto const& pattern : vector_patterns()) {
    auto const host = with_numbers<S>(pattern, Numbers::integers);
    for (auto const& shape : few_shapes()) {
      auto const F = from_csr<Csr5>(Space(), host.on_device(), options_of(shape));
      auto const plan = make_spmv_plan<VS>(Space(), F);
      for (bool const planned : {false, true}) {
        SCOPED_TRACE(pattern.name + ", " + to_string(shape) + (planned ? ", plan" : ""));
        expect_every_form_of_vector<VS>(host, [&](auto alpha, auto const& x, auto beta, auto const& y) {
          if (planned)
            spmv(Space(), plan, alpha, x, beta, y);
          else
            spmv(Space(), alpha, F, x, beta, y);
        });
      }
    }
  }
}

}  // namespace einkorn::test
