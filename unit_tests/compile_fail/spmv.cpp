// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Wrong calls of spmv: each must give one static_assert with the sentence of its line, and no other error.
#include "mistakes.hpp"

#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/sell/sell.hpp>

#include <vector>

using namespace einkorn::test;
using Matrix = einkorn::Csr<double, int, int, Device>;
using Plan = einkorn::SpmvPlan<Matrix, double>;
using Vector = Kokkos::View<double*, Device>;
using Vectors = Kokkos::View<double**, Device>;

void one_vector(Exec const& exec, Matrix const& A, Plan const& plan, Vector const& x, Vector const& y) {
  Kokkos::View<double const*, Device> const constant = y;
  Kokkos::View<Kokkos::complex<double>*, Device> const complex;
  std::vector<double> const standard;
  einkorn::spmv(exec, 1.0, A, x, 0.0, constant);          // expect: y is a View of const values
  einkorn::spmv(exec, plan, 1.0, x, 0.0, constant);       // expect: y is a View of const values
  einkorn::spmv(exec, 1.0, plan, x, 0.0, y);              // expect: a plan in A's place
  einkorn::spmv(exec, A, 1.0, x, 0.0, y);                 // expect: a matrix in alpha's place
  einkorn::spmv(A, 1.0, x, exec, 0.0, y);                 // expect: the first argument must be
  einkorn::spmv(exec, 1.0, x, x, 0.0, y);                 // expect: A must be a matrix
  einkorn::spmv(exec, 1.0, A, standard, 0.0, y);          // expect: must be Kokkos::Views
  einkorn::spmv(exec, 1.0, A, complex, 0.0, y);           // expect: y is real, but A or x is complex
  einkorn::spmv(exec, "1", A, x, 0.0, y);                 // expect: alpha and beta must convert
  einkorn::spmv(exec, plan, 1.0, complex, 0.0, complex);  // expect: another vector scalar
  einkorn::spmv(exec, 1.0, einkorn::Sell<double, int, int, Device>(), x, 0.0, y);  // expect: include the header
}

void several_vectors(Exec const& exec, Matrix const& A, Vector const& x, Vectors const& X, Vectors const& Y) {
  Kokkos::View<double***, Device> const cube;
  einkorn::spmv(exec, 1.0, A, x, 0.0, Y, {.op = einkorn::Op::transpose});  // expect: the same rank
  einkorn::spmv(exec, 1.0, A, cube, 0.0, cube);                            // expect: of rank 1 or 2
  einkorn::spmv(exec, 1, A, X, Kokkos::complex<double>(), Y);  // expect: alpha and beta must convert
}

void memory(Exec const& exec, Matrix const& A, Plan const& plan, Vector const& x, Vector const& y,
            Kokkos::View<double*, RemoteDevice> const& remote,
            einkorn::Csr<double, int, int, RemoteDevice> const& B) {
  einkorn::spmv(exec, 1.0, A, remote, 0.0, y);     // expect: cannot access the memory space of x or y
  einkorn::spmv(exec, plan, 1.0, x, 0.0, remote);  // expect: cannot access the memory space of x or y
  einkorn::spmv(exec, 1.0, B, x, 0.0, y);          // expect: cannot access the memory space of A
}

/// Correct calls: any layout, float beside double, factors that convert.
void right(Exec const& exec, Matrix const& A, Plan const& plan, Vectors const& X) {
  Kokkos::View<float**, Kokkos::LayoutRight, Device> const right;
  Kokkos::View<double**, Kokkos::LayoutLeft, Device> const left;
  einkorn::spmv(exec, 1, A, right, 0, left);
  einkorn::spmv(exec, plan, 1, Kokkos::subview(X, Kokkos::ALL, 0), 0, Kokkos::subview(left, Kokkos::ALL, 1));
  Kokkos::View<Kokkos::complex<double>*, Device> const complex;
  einkorn::spmv(exec, 1.0, A, complex, 0.0f, complex);
}
