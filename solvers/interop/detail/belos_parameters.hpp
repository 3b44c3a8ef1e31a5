// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/error.hpp>
#include <einkorn/solvers/options.hpp>
#include <einkorn/solvers/report.hpp>

#include <BelosTypes.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_ParameterListExceptions.hpp>
#include <Teuchos_RCP.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>

namespace einkorn::tpetra::detail {

/// The parameters of BelosCg as SolverOptions.
class BelosParameters {
 public:
  BelosParameters() { set(Teuchos::parameterList()); }

  /// The parameters with their defaults.
  [[nodiscard]] static Teuchos::RCP<Teuchos::ParameterList const> valid() {
    auto const list = Teuchos::parameterList("einkorn::tpetra::BelosCg");
    list->set("Convergence Tolerance", 1e-8,
              "Bound of |b - A x| relative to the norm of Implicit Residual Scaling");
    list->set("Maximum Iterations", 1000, "Per column");
    list->set(scaling_name, std::string(initial_residual), "Norm of Initial Residual, Norm of RHS or None");
    list->set("Verbosity", static_cast<int>(Belos::Errors), "Belos::FinalSummary: a line per column on rank 0");
    list->set("Output Stream", Teuchos::rcpFromRef(std::cout), "For Verbosity");
    return list;
  }

  /// Sets the parameters of the list, and adds the missing ones to it. null: no change.
  void set(Teuchos::RCP<Teuchos::ParameterList> const& list) {
    if (list.is_null()) return;
    for (auto const& entry : *list)
      if (!is_known(entry.first))
        throw Teuchos::Exceptions::InvalidParameterName("tpetra::BelosCg: no parameter has the name \"" +
                                                        entry.first + '"');
    auto changed = *list_;  // unchanged if a value is refused
    changed.setParameters(*list);
    if (list->isParameter(old_scaling_name)) {
      changed.set(scaling_name, list->get<std::string>(old_scaling_name));
      changed.remove(old_scaling_name);
    }
    auto const options = to_options(changed);
    verbosity_ = changed.isType<Belos::MsgType>("Verbosity")
                     ? static_cast<int>(changed.get<Belos::MsgType>("Verbosity"))
                     : changed.get<int>("Verbosity");
    output_ = changed.get<Teuchos::RCP<std::ostream>>("Output Stream");
    is_absolute_ = changed.get<std::string>(scaling_name) == none;
    options_ = options;
    *list_ = changed;
    list->setParametersNotAlreadySet(*list_);
  }

  [[nodiscard]] Teuchos::RCP<Teuchos::ParameterList const> list() const { return list_; }
  [[nodiscard]] SolverOptions const& options() const { return options_; }

  /// |b - A x| relative to the norm of the tolerance.
  [[nodiscard]] double achieved(SolveReport const& report) const {
    return is_absolute_ || report.reference == 0 ? report.residual : report.residual / report.reference;
  }
  void print(SolveReport const& report, std::size_t column, int rank) const {
    if (rank != 0 || (verbosity_ & Belos::FinalSummary) == 0 || output_.is_null()) return;
    *output_ << "einkorn::tpetra::BelosCg, column " << column << ": " << name_of(report.outcome) << " after "
             << report.iterations << " iterations, residual " << achieved(report) << '\n';
  }

 private:
  static constexpr char const* scaling_name = "Implicit Residual Scaling";
  static constexpr char const* old_scaling_name = "Residual Scaling";
  static constexpr char const* initial_residual = "Norm of Initial Residual";
  static constexpr char const* none = "None";

  [[nodiscard]] bool is_known(std::string const& name) const {
    constexpr std::array without_effect{"Adaptive Block Size",
                                        "Assert Positive Definiteness",
                                        "Block Size",
                                        "Deflation Quorum",
                                        "Estimate Condition Number",
                                        "Fold Convergence Detection Into Allreduce",
                                        "Output Frequency",
                                        "Output Style",
                                        "Show Maximum Residual Norm Only",
                                        "Timer Label",
                                        "Use Single Reduction"};
    return list_->isParameter(name) || name == old_scaling_name ||
           std::any_of(without_effect.begin(), without_effect.end(),
                       [&](char const* known) { return name == known; });
  }
  static SolverOptions to_options(Teuchos::ParameterList& list) {
    SolverOptions options;
    char const* const name = "Convergence Tolerance";
    double const tolerance =
        list.isType<float>(name) ? static_cast<double>(list.get<float>(name)) : list.get<double>(name);
    int const limit = list.get<int>("Maximum Iterations");
    require<InvalidArgument>(tolerance >= 0 && std::isfinite(tolerance), [&] {
      return "tpetra::BelosCg: Convergence Tolerance is " + std::to_string(tolerance) + ", expected 0 or more";
    });
    require<InvalidArgument>(limit >= 0, [&] {
      return "tpetra::BelosCg: Maximum Iterations is " + std::to_string(limit) + ", expected 0 or more";
    });
    auto const scaling = list.get<std::string>(scaling_name);
    require<InvalidArgument>(scaling == initial_residual || scaling == "Norm of RHS" || scaling == none, [&] {
      return "tpetra::BelosCg: " + std::string(scaling_name) + " is \"" + scaling +
             "\", expected Norm of Initial Residual, Norm of RHS or None";
    });
    (scaling == none ? options.absolute_tolerance : options.tolerance) = tolerance;
    if (scaling == none) options.tolerance = 0;
    if (scaling == initial_residual) options.relative_to = RelativeTo::initial_residual;
    options.max_iterations = limit;
    return options;
  }

  Teuchos::RCP<Teuchos::ParameterList> list_ = Teuchos::parameterList(*valid());
  SolverOptions options_;
  int verbosity_ = 0;
  bool is_absolute_ = false;
  Teuchos::RCP<std::ostream> output_;
};

}  // namespace einkorn::tpetra::detail
