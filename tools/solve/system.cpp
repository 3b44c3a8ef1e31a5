// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/system.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/spmv.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <sstream>

namespace einkorn::tools {

namespace {

template <class Scalar>
Matrix<Scalar> load_matrix(Exec const& exec, std::string const& name, std::string& words) {
  if (is_generator_spec(name)) {
    words = "generated";
    return generate<Scalar, int, int, Device>(exec, name);
  }
  MatrixMarketReport report;
  auto const triplets = read_matrix_market<Scalar, int>(name, {}, &report);
  words = std::string(to_string(report.header.field)) + " " + std::string(to_string(report.header.symmetry));
  return csr_from_triplets<int, Device>(triplets);
}

template <class Scalar>
DenseVector<Scalar> load_vector(Exec const& exec, std::string const& name, int num_rows) {
  auto const triplets = read_matrix_market<Scalar, int>(name);
  require<DimensionMismatch>(triplets.num_rows == num_rows && triplets.num_cols == 1, [&] {
    return name + ": b is " + std::to_string(triplets.num_rows) + " x " + std::to_string(triplets.num_cols) +
           ", expected " + std::to_string(num_rows) + " x 1";
  });
  DenseVector<Scalar> const b("einkorn::tools::b", static_cast<std::size_t>(num_rows));
  auto const host = Kokkos::create_mirror_view(b);
  Kokkos::deep_copy(host, Scalar(0));
  for (std::size_t k = 0; k < triplets.size(); ++k)
    host(static_cast<std::size_t>(triplets.rows[k])) = triplets.values[k];
  Kokkos::deep_copy(exec, b, host);
  exec.fence("einkorn-solve: b is read");
  return b;
}

}  // namespace

bool is_complex_system(std::string const& matrix, std::string const& right_hand_side) {
  auto const is_complex_file = [](std::string const& name) {
    return !name.empty() && !is_generator_spec(name) &&
           read_matrix_market_header(name).field == MatrixMarketField::complex;
  };
  return is_complex_file(matrix) || is_complex_file(right_hand_side);
}

template <class Scalar>
System<Scalar> load_system(Exec const& exec, std::string const& matrix, std::string const& right_hand_side) {
  System<Scalar> system;
  std::string kind;
  system.A = load_matrix<Scalar>(exec, matrix, kind);
  std::ostringstream words;
  words << matrix << ": " << system.A.num_rows << " x " << system.A.num_cols << ", " << system.A.nnz()
        << " entries, " << kind;
  system.matrix = words.str();
  system.solution_is_ones = right_hand_side.empty();
  system.right_hand_side = right_hand_side.empty() ? "A times ones" : right_hand_side;
  require<DimensionMismatch>(system.A.num_rows == system.A.num_cols, [&] {
    return matrix + ": A is " + std::to_string(system.A.num_rows) + " x " + std::to_string(system.A.num_cols) +
           ", expected a square matrix";
  });
  if (!right_hand_side.empty()) {
    system.b = load_vector<Scalar>(exec, right_hand_side, system.A.num_rows);
    return system;
  }
  auto const n = static_cast<std::size_t>(system.A.num_rows);
  DenseVector<Scalar> const ones("einkorn::tools::ones", n);
  system.b = DenseVector<Scalar>("einkorn::tools::b", n);
  Kokkos::deep_copy(exec, ones, Scalar(1));
  spmv(exec, Scalar(1), system.A, ones, Scalar(0), system.b);
  exec.fence("einkorn-solve: b = A times ones");
  return system;
}

template System<double> load_system(Exec const&, std::string const&, std::string const&);
template System<Kokkos::complex<double>> load_system(Exec const&, std::string const&, std::string const&);

}  // namespace einkorn::tools
