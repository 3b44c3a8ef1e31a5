// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/concepts.hpp>
#include <einkorn/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace einkorn::tpetra {

/// A Tpetra::Operator, such as a preconditioner of Ifpack2 or MueLu, as a preconditioner of pcg(), bicgstab() and
/// gmres(): z <- M r. Made by make_preconditioner(). Copies share the operator and the wrappers of the last vectors:
/// one solve at a time.
template <class SC, class LO, class GO, class NO>
class Preconditioner {
 public:
  using Operator = Tpetra::Operator<SC, LO, GO, NO>;
  using MultiVector = Tpetra::MultiVector<SC, LO, GO, NO>;
  using Map = Tpetra::Map<LO, GO, NO>;
  using Value = typename MultiVector::impl_scalar_type;

  /// @param M    its apply(r, z) does M^-1: range and domain map are the same
  /// @param map  of r and z
  /// @throws InvalidArgument if one is null
  Preconditioner(Teuchos::RCP<Operator const> M, Teuchos::RCP<Map const> map)
      : M_(std::move(M)), map_(std::move(map)), last_(std::make_shared<Wrappers>()) {
    require<InvalidArgument>(!M_.is_null(), "tpetra::Preconditioner: M is null");
    require<InvalidArgument>(!map_.is_null(), "tpetra::Preconditioner: map is null");
  }

  /// z <- M r by M's apply(). r, z: [rows of this rank], contiguous, in the memory of Tpetra's vectors, without
  /// overlap. Collective, as M's apply().
  /// @throws DimensionMismatch
  /// Cost: that of M. Fences exec and the instance of Tpetra unless they are the same. Allocates wrappers without
  /// entries on the host if r or z is another vector than in the last call; M may allocate.
  template <ExecutionSpace Exec, class R, class Z>
  void apply(Exec const& exec, R const& r, Z const& z) const {
    static_assert(std::is_same_v<typename R::non_const_value_type, Value> &&
                      std::is_same_v<typename Z::value_type, Value>,
                  "einkorn::tpetra::Preconditioner: the vectors have another scalar than the operator");
    static_assert(
        std::is_same_v<typename R::memory_space, typename MultiVector::device_type::memory_space>,
        "einkorn::tpetra::Preconditioner: the vectors are in another memory space than those of Tpetra");
    require<DimensionMismatch>(r.extent(0) == map_->getLocalNumElements() && z.extent(0) == r.extent(0), [&] {
      return "tpetra::Preconditioner: r has " + std::to_string(r.extent(0)) + " entries, z has " +
             std::to_string(z.extent(0)) + ", expected " + std::to_string(map_->getLocalNumElements());
    });
    using TpetraExec = typename NO::execution_space;
    bool is_same_instance = false;
    if constexpr (std::is_same_v<Exec, TpetraExec>) is_same_instance = exec == TpetraExec();
    if (!is_same_instance) exec.fence("einkorn::tpetra::Preconditioner: r is written");
    auto& of_r = wrapper(last_->r, const_cast<Value*>(r.data()));
    auto& of_z = wrapper(last_->z, z.data());
    (void)of_r.getLocalViewDevice(Tpetra::Access::OverwriteAll);  // written since the last call
    M_->apply(of_r, of_z);
    (void)of_z.getLocalViewDevice(Tpetra::Access::ReadOnly);  // if M wrote it on the host
    if (!is_same_instance) TpetraExec().fence("einkorn::tpetra::Preconditioner: z is written");
  }

 private:
  struct Wrappers {
    std::optional<MultiVector> r, z;
  };

  MultiVector& wrapper(std::optional<MultiVector>& last, Value* data) const {
    using View = typename MultiVector::dual_view_type::t_dev;
    if (!last || last->getLocalViewDevice(Tpetra::Access::ReadOnly).data() != data)
      last.emplace(map_, View(data, map_->getLocalNumElements(), 1));
    return *last;
  }

  Teuchos::RCP<Operator const> M_;
  Teuchos::RCP<Map const> map_;
  std::shared_ptr<Wrappers> last_;
};

namespace detail {

/// Declared only: the Tpetra::Operator that a class derives from.
template <class SC, class LO, class GO, class NO>
Tpetra::Operator<SC, LO, GO, NO> const& base_operator(Tpetra::Operator<SC, LO, GO, NO> const&);

}  // namespace detail

/// The preconditioner of an operator, with its domain map.
/// @param M  an RCP of a Tpetra::Operator or of a class derived from it
/// @throws InvalidArgument if M is null
template <class Op>
auto make_preconditioner(Teuchos::RCP<Op> const& M) {
  require<InvalidArgument>(!M.is_null(), "tpetra::make_preconditioner: M is null");
  using Base = std::remove_cvref_t<decltype(detail::base_operator(*M))>;
  return Preconditioner<typename Base::scalar_type, typename Base::local_ordinal_type,
                        typename Base::global_ordinal_type, typename Base::node_type>(M, M->getDomainMap());
}

}  // namespace einkorn::tpetra
