// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/format_list.hpp>
#include <einkorn/formats/interop/tpetra_operator.hpp>
#include <einkorn/formats/interop/tpetra_preconditioner.hpp>
#include <einkorn/solvers/any_operator.hpp>
#include <einkorn/solvers/cg.hpp>
#include <einkorn/solvers/distributed/operator.hpp>
#include <einkorn/solvers/interop/detail/belos_parameters.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/pcg.hpp>
#include <einkorn/solvers/report.hpp>
#include <einkorn/solvers/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <BelosLinearProblem.hpp>
#include <BelosSolverManager.hpp>
#include <BelosTpetraAdapter.hpp>
#include <BelosTypes.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn::tpetra {

/// cg() and pcg() as a solver manager of Belos: replaces Belos::PseudoBlockCGSolMgr and takes the same problem and
/// parameters. The header needs Belos.
///
///     einkorn::tpetra::BelosCg<SC, MV, OP> solver(problem, parameters);
///     Belos::ReturnType const result = solver.solve();
///
/// The operator of the problem is one of make_operator(), or a Tpetra::CrsMatrix, of which the first solve makes one
/// with the format `automatic` and each later one updates its values. The preconditioner of the problem, left or right,
/// is any Tpetra::Operator.
///
/// Parameters and their defaults: "Convergence Tolerance" 1e-8; "Maximum Iterations" 1000; "Implicit Residual
/// Scaling" (also "Residual Scaling"), the norm to which the tolerance is relative: "Norm of Initial Residual", "Norm
/// of RHS" or "None"; "Verbosity", of which Belos::FinalSummary prints a line per column on rank 0; "Output Stream".
/// The other parameters of Belos::PseudoBlockCGSolMgr and BlockCGSolMgr have no effect.
///
/// @tparam SC, MV, OP  float or double, Tpetra::MultiVector, Tpetra::Operator
/// @tparam Formats     as of make_operator()
///
/// Departures from PseudoBlockCGSolMgr: the true residual, recomputed, decides convergence; columns are solved one after
/// the other; x of a column that does not converge is the best that was found; a direction of negative curvature
/// ends the solve as unconverged instead of by an exception (reports()). Status tests of the user are not supported.
template <class SC, class MV, class OP, class Formats = BuiltInFormats>
class BelosCg final : public Belos::SolverManager<SC, MV, OP> {
 public:
  using Base = Belos::SolverManager<SC, MV, OP>;
  using Problem = Belos::LinearProblem<SC, MV, OP>;
  using Magnitude = typename Teuchos::ScalarTraits<SC>::magnitudeType;
  using LO = typename MV::local_ordinal_type;
  using GO = typename MV::global_ordinal_type;
  using NO = typename MV::node_type;
  using Exec = typename NO::execution_space;
  using Value = typename MV::impl_scalar_type;
  using RankOperator = Operator<SC, LO, GO, NO, Formats>;

  static_assert(std::is_same_v<OP, Tpetra::Operator<SC, LO, GO, NO>>,
                "einkorn::tpetra::BelosCg: OP is a Tpetra::Operator");

  BelosCg() = default;
  /// @param problem     the one that solve() solves
  /// @param parameters  as for setParameters()
  BelosCg(Teuchos::RCP<Problem> const& problem, Teuchos::RCP<Teuchos::ParameterList> const& parameters) {
    setParameters(parameters);
    setProblem(problem);
  }
  /// A manager with the parameters of this one, without a problem.
  [[nodiscard]] Teuchos::RCP<Base> clone() const override {
    auto const copy = Teuchos::rcp(new BelosCg);
    copy->parameters_.set(Teuchos::parameterList(*parameters_.list()));
    return copy;
  }

  [[nodiscard]] Problem const& getProblem() const override {
    require<InvalidArgument>(!problem_.is_null(), "tpetra::BelosCg: no problem is set");
    return *problem_;
  }
  [[nodiscard]] Teuchos::RCP<Teuchos::ParameterList const> getValidParameters() const override {
    return detail::BelosParameters::valid();
  }
  [[nodiscard]] Teuchos::RCP<Teuchos::ParameterList const> getCurrentParameters() const override {
    return parameters_.list();
  }
  /// The largest |b - A x| of the columns of the last solve, relative to the norm of the tolerance.
  [[nodiscard]] Magnitude achievedTol() const override {
    double largest = 0;
    for (auto const& report : reports_) largest = std::max(largest, parameters_.achieved(report));
    return static_cast<Magnitude>(largest);
  }
  /// The largest number of iterations of a column of the last solve.
  [[nodiscard]] int getNumIters() const override {
    std::int64_t most = 0;
    for (auto const& report : reports_) most = std::max(most, report.iterations);
    return static_cast<int>(most);
  }
  /// Whether a column of the last solve stagnated: the recursive residual met the tolerance, the true one did not.
  [[nodiscard]] bool isLOADetected() const override {
    return std::any_of(reports_.begin(), reports_.end(),
                       [](SolveReport const& report) { return report.outcome == Outcome::stagnated; });
  }
  /// One per column of the last solve.
  [[nodiscard]] std::vector<SolveReport> const& reports() const { return reports_; }

  /// Keeps the operator and the memory of the last solve if the operator is the same.
  void setProblem(Teuchos::RCP<Problem> const& problem) override { problem_ = problem; }
  /// Sets the parameters of the list and keeps the others. Adds the missing ones to it. null: no change.
  /// @throws InvalidArgument (a value), Teuchos::Exceptions::InvalidParameter (a name or a type), before a change
  void setParameters(Teuchos::RCP<Teuchos::ParameterList> const& list) override { parameters_.set(list); }
  /// Belos::Problem: setProblem() of the problem.
  void reset(Belos::ResetType type) override {
    if ((type & Belos::Problem) != 0 && !problem_.is_null()) problem_->setProblem();
  }

  /// Solves all columns from the X of the problem. Collective.
  /// @return Belos::Converged if all columns are
  /// @throws InvalidArgument if the problem is not set, its operator or its preconditioners are not as described
  /// above, or Operator::delegates(); StalePlan if the structure of the matrix has changed since the first solve; what
  /// cg(), pcg(), make_operator() throw: on all ranks
  /// Cost: that of cg() or pcg() per column; the first solve with an operator allocates the vectors of CgWorkspace and,
  /// on several ranks, the buffers of an exchange.
  Belos::ReturnType solve() override {
    require<InvalidArgument>(!problem_.is_null() && problem_->isProblemSet(),
                             "tpetra::BelosCg: the problem is not set, call its setProblem() first");
    require<InvalidArgument>(!(problem_->isLeftPrec() && problem_->isRightPrec()),
                             "tpetra::BelosCg: the problem has two preconditioners, expected at most one");
    use_operator(problem_->getOperator());
    use_preconditioner(problem_->isLeftPrec() ? problem_->getLeftPrec() : problem_->getRightPrec());
    auto const columns = problem_->getRHS()->getNumVectors();
    reports_.clear();
    reserve(reports_, "einkorn::tpetra::BelosCg: reports", columns);
    for (std::size_t j = 0; j < columns; ++j) {
      if (distributed_)
        solve_column(*distributed_, j);
      else
        used_->with_local_matrix([&](auto const& local) { solve_column(AnyOperator(local), j); });
      parameters_.print(reports_.back(), j, problem_->getRHS()->getMap()->getComm()->getRank());
    }
    return std::all_of(reports_.begin(), reports_.end(), [](SolveReport const& r) { return r.converged(); })
               ? Belos::Converged
               : Belos::Unconverged;
  }

 private:
  using Local = typename RankOperator::Local;
  using Distributed = DistributedOperator<Value, Exec, typename RankOperator::Distributed, AnyOperator<Local>>;

  void use_operator(Teuchos::RCP<OP const> const& op) {
    if (!op_.is_null() && op.getRawPtr() == op_.getRawPtr()) {
      if (made_) made_->update_values();
      return;
    }
    op_ = Teuchos::null;  // until all of the following has succeeded
    workspace_.reset();
    distributed_.reset();
    made_.reset();
    used_ = dynamic_cast<RankOperator const*>(op.getRawPtr());
    if (used_ == nullptr) {
      auto const matrix = Teuchos::rcp_dynamic_cast<typename RankOperator::Matrix const>(op);
      require<InvalidArgument>(
          !matrix.is_null(),
          "tpetra::BelosCg: the operator of the problem is neither of make_operator(), with "
          "the same formats, nor a Tpetra::CrsMatrix");
      made_ = std::make_unique<RankOperator>(matrix, OperatorOptions());
      used_ = made_.get();
    }
    require<InvalidArgument>(!used_->delegates(),
                             "tpetra::BelosCg: expected a matrix whose row, range and domain map are the same, "
                             "with each row on one rank");
    if (auto const* const matrix = used_->distributed_matrix())
      distributed_.emplace(make_distributed_operator<Value>(
          Exec(), *matrix, std::make_shared<MpiTransport<Exec>>(matrix->communicator),
          [&](auto const&) { return AnyOperator(used_->local_matrix()); }));
    op_ = op;
  }

  void use_preconditioner(Teuchos::RCP<OP const> const& M) {
    if (M.getRawPtr() == last_preconditioner_.getRawPtr()) return;
    if (M.is_null() || last_preconditioner_.is_null()) workspace_.reset();  // with or without z
    preconditioner_.reset();
    if (!M.is_null()) preconditioner_.emplace(make_preconditioner(M));
    last_preconditioner_ = M;
  }

  template <class A>
  void solve_column(A const& a, std::size_t column) {
    Exec const exec;
    auto const& options = parameters_.options();
    auto const of_b = problem_->getRHS()->getVector(column);
    auto const of_x = problem_->getLHS()->getVectorNonConst(column);
    auto const b = Kokkos::subview(of_b->getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL, 0);
    auto const x = Kokkos::subview(of_x->getLocalViewDevice(Tpetra::Access::ReadWrite), Kokkos::ALL, 0);
    if (preconditioner_) {
      if (!workspace_) workspace_.emplace(exec, a, *preconditioner_, options);
      reports_.push_back(pcg(exec, a, *preconditioner_, b, x, options, *workspace_));
    } else {
      if (!workspace_) workspace_.emplace(exec, a, options);
      reports_.push_back(cg(exec, a, b, x, options, *workspace_));
    }
  }

  Teuchos::RCP<Problem> problem_;
  detail::BelosParameters parameters_;
  Teuchos::RCP<OP const> op_;           // of the last solve
  std::unique_ptr<RankOperator> made_;  // if it is a Tpetra::CrsMatrix
  RankOperator const* used_ = nullptr;  // made_, or the operator of the problem
  std::optional<Distributed> distributed_;
  std::optional<CgWorkspace<Value, Exec>> workspace_;
  Teuchos::RCP<OP const> last_preconditioner_;
  std::optional<Preconditioner<SC, LO, GO, NO>> preconditioner_;
  std::vector<SolveReport> reports_;
};

}  // namespace einkorn::tpetra
