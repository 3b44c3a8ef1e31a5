// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// Wrong calls of solvers: each must give one static_assert with the sentence of its line, and no other error.
#include "mistakes.hpp"

#include <einkorn/formats/sell/sell.hpp>
#include <einkorn/solvers/bicgstab.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/pcg.hpp>

#include <vector>

using namespace einkorn::test;
using Matrix = einkorn::Csr<double, int, int, Device>;
using Vector = Kokkos::View<double*, Device>;
using Remote = Kokkos::View<double*, RemoteDevice>;

template <int>
struct WrongApply {
  int num_rows() const { return 1; }
  int num_cols() const { return 1; }
  void apply(Vector const&, Vector const&) const {}
};
struct NoSizes {
  void apply(Exec const&, Vector const&, Vector const&) const {}
};
template <int>
struct Unknown {};

void vectors(Exec const& exec, Matrix const& A, Vector const& b, Vector const& x, Remote const& remote) {
  Kokkos::View<double const*, Device> const constant = x;
  Kokkos::View<int*, Device> const integers;
  Kokkos::View<double**, Device> const several;
  Kokkos::View<float*, Device> const single;
  std::vector<double> standard;
  einkorn::cg(exec, A, b, constant);                         // expect: x of a solver is a View of const values
  einkorn::cg(exec, A, integers, integers);                  // expect: must hold float, double or
  einkorn::cg(exec, A, several, several, {.tolerance = 1});  // expect: must have rank 1
  einkorn::cg(exec, A, standard, standard);  // expect: b and x of a solver must be Kokkos::Views
  einkorn::cg(exec, A, single, x);           // expect: b and x of a solver must have the same
  einkorn::cg(exec, A, remote, x);           // expect: cannot access the memory space of a solver's b
  einkorn::bicgstab(exec, A, b, remote);     // expect: cannot access the memory space of a solver's b
  einkorn::cg(A, exec, b, x);                // expect: first argument must be an execution space
}

void matrices(Exec const& exec, Vector const& b, Vector const& x) {
  einkorn::Csr<double, int, int, RemoteDevice> const remote;
  einkorn::Csr<Kokkos::complex<double>, int, int, Device> const complex;
  einkorn::cg(exec, remote, b, x);   // expect: memory space of a solver's A
  einkorn::cg(exec, complex, b, x);  // expect: A is complex
  einkorn::Sell<double, int, int, Device> const sell;
  einkorn::cg(exec, sell, b, x);                            // expect: include the header of A's format
  einkorn::cg(exec, Unknown<0>(), b, x);                    // expect: A of a solver must be a matrix
  einkorn::cg(exec, WrongApply<0>(), b, x);                 // expect: an operator needs apply(exec, x, y)
  einkorn::cg(exec, NoSizes(), b, x);                       // expect: an operator needs num_rows()
  einkorn::bicgstab(exec, WrongApply<1>(), b, x, {});       // expect: an operator needs apply(exec, x, y)
  einkorn::pcg(exec, WrongApply<2>(), Unknown<1>(), b, x);  // expect: an operator needs apply(exec, x, y)
}

void preconditioners(Exec const& exec, Matrix const& A, Vector const& b, Vector const& x) {
  std::vector<double> standard;
  einkorn::pcg(exec, A, Unknown<4>(), standard, standard);       // expect: must be Kokkos::Views
  einkorn::bicgstab(exec, A, Unknown<5>(), standard, standard);  // expect: must be Kokkos::Views
  einkorn::pcg(exec, A, Unknown<2>(), b, x);       // expect: a preconditioner needs apply(exec, r, z)
  einkorn::bicgstab(exec, A, Unknown<3>(), b, x);  // expect: a preconditioner needs apply(exec, r, z)
}

void workspaces(Exec const& exec, Matrix const& A, Vector const& b, Vector const& x,
                einkorn::CgWorkspace<double, Exec> const& right,
                einkorn::CgWorkspace<float, Exec> const& narrow) {
  auto const op = einkorn::make_operator<double>(exec, A);
  einkorn::cg(exec, A, b, x, {}, right);         // expect: with a workspace, A must be an operator
  einkorn::cg(exec, op, b, x, {}, narrow);       // expect: the workspace must be of this solver
  einkorn::bicgstab(exec, op, b, x, {}, right);  // expect: the workspace must be of this solver
}

struct Identity {
  void apply(Exec const&, Vector const&, Vector const&) const {}
};

/// Correct calls with the headers above.
void right(Exec const& exec, Matrix const& A, CrsLike const& B, Vector const& b, Vector const& x) {
  einkorn::cg(exec, A, Kokkos::View<double const*, Device>(b), x);
  einkorn::cg(exec, B, b, x, {.tolerance = 1e-6});
  einkorn::pcg(exec, B, Identity(), b, x);
  einkorn::bicgstab(exec, B, b, x, {});
  einkorn::bicgstab(exec, A, Identity(), b, x, {});
}
