// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/mpi_transport.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/analysis/select.hpp>
#include <einkorn/formats/any_matrix.hpp>
#include <einkorn/formats/csr/csr.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/format_list.hpp>
#include <einkorn/formats/interop/detail/ghost_columns.hpp>
#include <einkorn/formats/interop/detail/tpetra_maps.hpp>
#include <einkorn/formats/interop/tpetra_distributed.hpp>

#include <Kokkos_Core.hpp>

#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace einkorn::tpetra {

/// For OperatorOptions::format: the format that select() estimates to be the fastest, on each rank.
inline constexpr std::nullopt_t automatic = std::nullopt;

struct OperatorOptions {
  std::optional<FormatName> format = automatic;  ///< of the owned columns of the rows of a rank
  /// Products over which the conversion is to pay off, for automatic. More than 0.
  double uses = std::numeric_limits<double>::infinity();
  AnyMatrixOptions conversion = {};  ///< fill limit, checks and indices of the format
};

/// The product with a Tpetra::CrsMatrix as a Tpetra::Operator, for Belos and others: Y <- alpha A X + beta Y by the
/// kernels of Einkorn. Made by make_operator().
///
/// On several ranks the halo exchange of A's importer runs during the product with the owned columns. Without
/// exchange (one rank) and with FormatName::csr the operator reads the arrays of A in each apply(); otherwise it has
/// copies, and update_values() copies the values again. It holds no View of A between calls.
///
/// apply() of A itself is called for a transpose and, if delegates(), for every product.
/// @tparam Formats  formats to choose from (format_list.hpp). The kernels of all of them are compiled
template <class SC, class LO, class GO, class NO, class Formats = BuiltInFormats>
class Operator final : public Tpetra::Operator<SC, LO, GO, NO> {
 public:
  using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using MultiVector = Tpetra::MultiVector<SC, LO, GO, NO>;
  using Map = Tpetra::Map<LO, GO, NO>;
  using Exec = typename NO::execution_space;
  using Device = typename Exec::device_type;
  using Value = typename MultiVector::impl_scalar_type;
  using Offset = OffsetOf<Matrix>;
  using Local = BasicAnyMatrix<Formats, Value, LO, Offset, Device, Value>;
  using Distributed = DistributedCsr<Value, LO, Offset, Device>;

  /// As make_operator().
  Operator(Teuchos::RCP<Matrix const> A, OperatorOptions const& options);

  [[nodiscard]] Teuchos::RCP<Map const> getDomainMap() const override { return A_->getDomainMap(); }
  [[nodiscard]] Teuchos::RCP<Map const> getRangeMap() const override { return A_->getRangeMap(); }
  [[nodiscard]] bool hasTransposeApply() const override { return A_->hasTransposeApply(); }

  /// Y <- alpha op(A) X + beta Y. Collective. beta == 0 overwrites Y, NaN included.
  ///
  /// X is copied if it shares memory with Y; both are copied if their columns have no constant stride.
  /// @throws DimensionMismatch if the numbers of columns or the local lengths differ; StalePlan if the structure of
  /// A has changed
  /// Cost: that of spmv of the format, and of the exchange; no allocation after the first product with a number of
  /// columns. On one rank asynchronous on the default instance of Exec. Deterministic.
  void apply(MultiVector const& X, MultiVector& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             SC alpha = Teuchos::ScalarTraits<SC>::one(),
             SC beta = Teuchos::ScalarTraits<SC>::zero()) const override;

  /// Uses the current values of A from now on. Collective. A has the structure of before and is fill complete.
  /// @throws StalePlan, DimensionMismatch if the structure has changed
  /// Cost: that of update_values() of the format; on several ranks also of the DistributedCsr. Fences.
  void update_values();

  [[nodiscard]] Teuchos::RCP<Matrix const> const& matrix() const { return A_; }
  /// The format of this rank.
  [[nodiscard]] FormatName format() const { return local_.format(); }
  /// Whether the maps of A are not of the kind that make_distributed_csr() expects.
  [[nodiscard]] bool delegates() const { return delegates_; }

  /// For solvers. The rows of this rank in their columns of this rank. Without delegates(). On one rank with
  /// FormatName::csr it has arrays only in with_local_matrix().
  [[nodiscard]] Local const& local_matrix() const { return local_; }
  /// The rows of this rank with the halo exchange; null where there is none (one rank). update_values() changes its values.
  [[nodiscard]] Distributed const* distributed_matrix() const {
    return distributed_ ? &*distributed_ : nullptr;
  }
  /// Calls body(local_matrix()), which may read A meanwhile.
  /// @throws StalePlan if the structure of A has changed
  template <class Body>
  void with_local_matrix(Body const& body) const {
    require_same_structure("with_local_matrix");
    Binding const binding(*this);
    body(std::as_const(local_));
  }

 private:
  using LocalCsr = Csr<Value const, LO, Offset, Device>;
  using CsrPlan = SpmvPlan<Csr<Value, LO, Offset, Device>, Value>;
  using Sum = PlanSum<Local, Value>;

  /// Lets the plan of a CSR read A during its lifetime. Does nothing for other formats and copies.
  class Binding {
   public:
    explicit Binding(Operator const& op)
        : plan_(op.distributed_ ? nullptr : std::get_if<CsrPlan>(&op.local_.plan())) {
      if (plan_ != nullptr) plan_->rebind(Exec(), op.acquire());
    }
    Binding(Binding const&) = delete;
    Binding& operator=(Binding const&) = delete;
    ~Binding() {
      if (plan_ != nullptr) plan_->rebind(Exec(), LocalCsr{});
    }

   private:
    CsrPlan* plan_;
  };

  /// The arrays of A on this rank.
  [[nodiscard]] LocalCsr acquire() const {
    LocalCsr csr;
    csr.num_rows = static_cast<LO>(A_->getLocalNumRows());
    csr.num_cols = static_cast<LO>(A_->getLocalNumCols());
    csr.row_offsets = A_->getLocalRowPtrsDevice();
    csr.columns = A_->getLocalIndicesDevice();
    csr.values = A_->getLocalValuesDevice(Tpetra::Access::ReadOnly);
    return csr;
  }
  [[nodiscard]] Local convert(LocalCsr const& csr, OperatorOptions const& options) const {
    Exec const exec;
    auto format = options.format;
    if (!format)
      format = csr.nnz() == 0 ? FormatName::csr : select<Value, Formats>(exec, csr, options.uses).format;
    return make_any_matrix<Value, Formats>(exec, csr, *format, options.conversion);
  }
  void require_same_structure(char const* function) const {
    require<StalePlan>(A_->getLocalNumRows() == num_rows_ && A_->getLocalNumEntries() == num_entries_, [&] {
      return "tpetra::Operator::" + std::string(function) + ": A has " +
             std::to_string(A_->getLocalNumEntries()) + " entries in " + std::to_string(A_->getLocalNumRows()) +
             " local rows, the operator was made for " + std::to_string(num_entries_) + " in " +
             std::to_string(num_rows_);
    });
  }
  void multiply(MultiVector const& X, MultiVector& Y, SC alpha, SC beta) const;
  template <class X, class Y>
  void multiply_local(Exec const& exec, Sum alpha, X const& x, Sum beta, Y const& y) const {
    // One vector has kernels of its own.
    if (y.extent(1) == 1)
      einkorn::detail::spmv_any(exec, alpha, local_,
                                einkorn::detail::as_input(Kokkos::subview(x, Kokkos::ALL, 0)), beta,
                                einkorn::detail::as_output(Kokkos::subview(y, Kokkos::ALL, 0)));
    else
      einkorn::detail::spmv_any(exec, alpha, local_, einkorn::detail::as_input(x), beta,
                                einkorn::detail::as_output(y));
  }

  Teuchos::RCP<Matrix const> A_;
  std::size_t num_rows_ = 0, num_entries_ = 0;  // of this rank
  bool delegates_ = false;
  std::optional<Distributed> distributed_;  // without: one rank whose columns are numbered as its rows
  std::optional<einkorn::detail::GhostColumns<Value, Exec, Distributed>> ghosts_;
  mutable Local local_;
};

/// The operator of a Tpetra::CrsMatrix. Collective.
///
///     auto op = einkorn::tpetra::make_operator(A, {.format = einkorn::tpetra::automatic});
///     Belos::LinearProblem<SC, MV, OP> problem(op, X, B);
///
/// @param A  fill complete. Any maps; those that make_distributed_csr() does not accept lead to delegates()
/// @throws InvalidArgument (A, format), FillLimit, InvalidStructure, OverflowError, OutOfMemory: the same on all
/// ranks
/// Cost: that of make_any_matrix(), for automatic of select(); on several ranks also of make_distributed_csr().
template <class Formats = BuiltInFormats, class Matrix>
auto make_operator(Teuchos::RCP<Matrix> const& A, OperatorOptions const& options = {}) {
  using Result = Operator<typename Matrix::scalar_type, typename Matrix::local_ordinal_type,
                          typename Matrix::global_ordinal_type, typename Matrix::node_type, Formats>;
  return Teuchos::rcp(new Result(A, options));
}

template <class SC, class LO, class GO, class NO, class Formats>
Operator<SC, LO, GO, NO, Formats>::Operator(Teuchos::RCP<Matrix const> A, OperatorOptions const& options)
    : A_(std::move(A)) {
  require<InvalidArgument>(!A_.is_null(), "tpetra::make_operator: A is null");
  auto const comm = detail::communicator_of(*A_->getComm());
  comm.collectively([&] { detail::require_filled("tpetra::make_operator", *A_); });
  num_rows_ = A_->getLocalNumRows();
  num_entries_ = A_->getLocalNumEntries();
  bool const is_direct = comm.size() == 1 && A_->getCrsGraph()->getImporter().is_null() &&
                         A_->getCrsGraph()->getExporter().is_null();
  delegates_ = !is_direct && !detail::is_distributable(*A_);
  if (delegates_) return;
  if (is_direct) {
    local_ = convert(acquire(), options);
    if (auto* const plan = std::get_if<CsrPlan>(&local_.plan())) plan->rebind(Exec(), LocalCsr{});
    return;
  }
  Exec const exec;
  distributed_.emplace(make_distributed_csr(exec, *A_));
  auto const& D = *distributed_;
  local_ = D.communicator.collectively([&] { return convert(D.local, options); });
  ghosts_.emplace(D, std::make_shared<MpiTransport<Exec>>(D.communicator));
}

template <class SC, class LO, class GO, class NO, class Formats>
void Operator<SC, LO, GO, NO, Formats>::update_values() {
  if (delegates_) return;
  Exec const exec;
  if (distributed_) {
    tpetra::update_values(exec, *distributed_, *A_);
    distributed_->communicator.collectively(
        [&] { einkorn::update_values(exec, local_, LocalCsr(distributed_->local)); });
  } else if (std::get_if<CsrPlan>(&local_.plan()) == nullptr) {
    einkorn::update_values(exec, local_, acquire());
  }
  exec.fence("einkorn::tpetra::Operator::update_values: the values of A may change from here on");
}

template <class SC, class LO, class GO, class NO, class Formats>
void Operator<SC, LO, GO, NO, Formats>::apply(MultiVector const& X, MultiVector& Y, Teuchos::ETransp mode,
                                              SC alpha, SC beta) const {
  if (delegates_ || mode != Teuchos::NO_TRANS) return A_->apply(X, Y, mode, alpha, beta);
  require<DimensionMismatch>(X.getNumVectors() == Y.getNumVectors(), [&] {
    return "tpetra::Operator::apply: X has " + std::to_string(X.getNumVectors()) + " columns, Y has " +
           std::to_string(Y.getNumVectors());
  });
  if (!X.isConstantStride() || X.aliases(Y)) return apply(MultiVector(X, Teuchos::Copy), Y, mode, alpha, beta);
  if (!Y.isConstantStride()) {
    MultiVector copy(Y, Teuchos::Copy);
    multiply(X, copy, alpha, beta);
    Tpetra::deep_copy(Y, copy);
  } else {
    multiply(X, Y, alpha, beta);
  }
}

/// X, Y: of constant stride, without overlap.
template <class SC, class LO, class GO, class NO, class Formats>
void Operator<SC, LO, GO, NO, Formats>::multiply(MultiVector const& X, MultiVector& Y, SC alpha,
                                                 SC beta) const {
  require_same_structure("apply");
  if (Y.getNumVectors() == 0) return;
  Exec const exec;
  Sum const a(static_cast<Value>(alpha)), b(static_cast<Value>(beta));
  Binding const binding(*this);
  auto const x = X.getLocalViewDevice(Tpetra::Access::ReadOnly);
  auto const y = b == Sum(0) ? Y.getLocalViewDevice(Tpetra::Access::OverwriteAll)
                             : Y.getLocalViewDevice(Tpetra::Access::ReadWrite);
  if (ghosts_) ghosts_->start(exec, x);
  multiply_local(exec, a, x, b, y);
  if (ghosts_) ghosts_->finish(exec, a, y);
}

}  // namespace einkorn::tpetra
