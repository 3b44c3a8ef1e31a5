// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "solve/system.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/io/matrix_market.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/csr/from_triplets.hpp>
#include <einkorn/formats/csr/spmv.hpp>
#include <einkorn/formats/generate/generate.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <optional>
#include <sstream>

namespace einkorn::tools {

namespace {

template <class Scalar>
Matrix<Scalar> load_matrix(Exec const& exec, std::string const& name, std::optional<MatrixMarketText>& file,
                           std::string& description) {
  if (!file) {
    description = "generated";
    return generate<Scalar, int, int, Device>(exec, name);
  }
  MatrixMarketReport report;
  auto const triplets = file->parse<Scalar, int>({}, &report);
  file.reset();  // frees the text, which is as large as the matrix
  description =
      std::string(to_string(report.header.field)) + " " + std::string(to_string(report.header.symmetry));
  return csr_from_triplets<int, Device>(triplets);
}

template <class Scalar>
DenseVector<Scalar> load_vector(Exec const& exec, MatrixMarketText const& file, int num_rows) {
  auto const triplets = parse_right_hand_side<Scalar>(file, num_rows);
  auto const b = allocate<DenseVector<Scalar>>(exec, "einkorn::tools::b", static_cast<std::size_t>(num_rows));
  auto const host = Kokkos::create_mirror_view(b);
  Kokkos::deep_copy(host, Scalar(0));
  for (std::size_t k = 0; k < triplets.size(); ++k)
    host(static_cast<std::size_t>(triplets.rows[k])) = triplets.values[k];
  Kokkos::deep_copy(exec, b, host);
  exec.fence("einkorn-solve: read b");
  return b;
}

}  // namespace

template <class Scalar>
System<Scalar> load_system(Exec const& exec, std::string const& matrix, InputFiles files) {
  System<Scalar> system;
  std::string description;
  system.A = load_matrix<Scalar>(exec, matrix, files.matrix, description);
  std::ostringstream text;
  text << matrix << ": " << system.A.num_rows << " x " << system.A.num_cols << ", " << system.A.nnz()
       << " entries, " << description;
  system.matrix = text.str();
  system.solution_is_ones = !files.right_hand_side;
  system.right_hand_side = files.right_hand_side ? files.right_hand_side->name() : "A times ones";
  require<DimensionMismatch>(system.A.num_rows == system.A.num_cols, [&] {
    return matrix + ": A is " + std::to_string(system.A.num_rows) + " x " + std::to_string(system.A.num_cols) +
           ", expected a square matrix";
  });
  if (files.right_hand_side) {
    system.b = load_vector<Scalar>(exec, *files.right_hand_side, system.A.num_rows);
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

template System<double> load_system(Exec const&, std::string const&, InputFiles);
template System<Kokkos::complex<double>> load_system(Exec const&, std::string const&, InputFiles);

}  // namespace einkorn::tools
