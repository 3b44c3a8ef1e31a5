// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/arch.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/core/scalar.hpp>
#include <einkorn/formats/analysis/machine_profile.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace einkorn {

/// The times of one candidate: a format, or an algorithm of a plan.
struct MeasuredTime {
  std::string name;          ///< without spaces
  double seconds = 0;        ///< per SpMV, more than 0
  double setup_seconds = 0;  ///< conversion, or construction of the plan
};

/// The times of candidates on one machine for the matrices of one class.
struct WisdomRecord {
  std::string machine;               ///< wisdom_machine()
  std::string matrix_class;          ///< operation, types and, for formats, structure_class()
  std::vector<MeasuredTime> times;   ///< at least one
  std::vector<std::string> refused;  ///< candidates that refused a matrix of this class

  /// The times of a candidate; nullptr if there are none.
  [[nodiscard]] MeasuredTime const* find(std::string_view name) const {
    auto const found =
        std::find_if(times.begin(), times.end(), [&](MeasuredTime const& time) { return time.name == name; });
    return found == times.end() ? nullptr : &*found;
  }
  /// Whether the candidate was measured or refused.
  [[nodiscard]] bool knows(std::string_view name) const {
    return find(name) != nullptr || std::find(refused.begin(), refused.end(), name) != refused.end();
  }
};

/// Measured times of earlier calls, so that later calls with matrices of the same class measure nothing.
///
/// select(), make_any_matrix() and make_spmv_plan() read and extend the Wisdom that the caller gives them, and
/// no other. read_wisdom() and write_wisdom() (wisdom_file.hpp) read and write files. Not thread-safe.
class Wisdom {
 public:
  /// The record of a machine and class; nullptr if there is none. Valid until the next insert() or merge().
  [[nodiscard]] WisdomRecord const* find(std::string const& machine, std::string const& matrix_class) const {
    auto const found = records_.find({machine, matrix_class});
    return found == records_.end() ? nullptr : &found->second;
  }

  /// Adds a record. Where the machine and class have one, candidates that both name are replaced.
  /// @throws InvalidArgument if a text does not fit into a line of a file, a time is not a finite number from 0
  ///         on (seconds: more than 0), a candidate is named twice, or there are no times
  void insert(WisdomRecord record) {
    check(record);
    if (auto const* const old = find(record.machine, record.matrix_class)) {
      for (auto const& time : old->times)
        if (!record.knows(time.name)) record.times.push_back(time);
      for (auto const& name : old->refused)
        if (!record.knows(name)) record.refused.push_back(name);
    }
    std::pair key{record.machine, record.matrix_class};
    records_.insert_or_assign(std::move(key), std::move(record));
  }

  /// insert() for each record of `other`.
  void merge(Wisdom const& other) {
    for (auto const& [key, record] : other.records_) insert(record);
  }

  /// The records by (machine, matrix class), in ascending order.
  [[nodiscard]] std::map<std::pair<std::string, std::string>, WisdomRecord> const& records() const {
    return records_;
  }

 private:
  static bool is_one_line(std::string_view text) {
    return !text.empty() && text.find_first_of("\r\n") == text.npos;
  }
  static void check_name(std::string const& name, int occurrences) {
    require<InvalidArgument>(is_one_line(name) && name.find(' ') == std::string::npos,
                             [&] { return "Wisdom: \"" + name + "\" is not a name without spaces"; });
    require<InvalidArgument>(occurrences == 1, [&] { return "Wisdom: " + name + " is named twice"; });
  }
  static void check(WisdomRecord const& record) {
    require<InvalidArgument>(is_one_line(record.machine) && is_one_line(record.matrix_class),
                             "Wisdom: machine or class is empty or has several lines");
    require<InvalidArgument>(!record.times.empty(),
                             [&] { return "Wisdom: nothing was measured for " + record.matrix_class; });
    auto const occurrences = [&](std::string const& name) {
      return static_cast<int>(std::count(record.refused.begin(), record.refused.end(), name) +
                              std::count_if(record.times.begin(), record.times.end(),
                                            [&](MeasuredTime const& time) { return time.name == name; }));
    };
    for (auto const& name : record.refused) check_name(name, occurrences(name));
    for (auto const& time : record.times) {
      check_name(time.name, occurrences(time.name));
      bool const is_valid = std::isfinite(time.seconds) && time.seconds > 0 &&
                            std::isfinite(time.setup_seconds) && time.setup_seconds >= 0;
      require<InvalidArgument>(is_valid,
                               [&] { return "Wisdom: a time of " + time.name + " is not a valid number"; });
    }
  }

  std::map<std::pair<std::string, std::string>, WisdomRecord> records_;
};

constexpr char const* name_of(Arch arch) {
  switch (arch) {
    case Arch::cuda:
      return "cuda";
    case Arch::hopper:
      return "hopper";
    case Arch::hip:
      return "hip";
    case Arch::mi300:
      return "mi300";
    default:
      return "host";
  }
}

/// The name of an execution space of this machine in wisdom: that of a profile (machine_key()), the
/// architecture that the kernels were compiled for, and, for a GPU, its product name.
template <class Exec>
std::string wisdom_machine(Exec const& exec) {
  std::string name = machine_key(exec) + ", " + name_of(arch_of<Exec>);
  if constexpr (requires { std::string(exec.cuda_device_prop().name); })
    name += ", " + std::string(exec.cuda_device_prop().name);
  else if constexpr (requires { std::string(exec.hip_device_prop().name); })
    name += ", " + std::string(exec.hip_device_prop().name);
  return name;
}

namespace detail {

template <class Scalar>
std::string scalar_name() {
  using S = std::remove_const_t<Scalar>;
  if constexpr (is_complex<S>)
    return "complex<" + scalar_name<typename S::value_type>() + ">";
  else if constexpr (std::is_same_v<S, double>)
    return "double";
  else if constexpr (std::is_same_v<S, float>)
    return "float";
  else
    return std::to_string(sizeof(S)) + "-byte";
}

/// The types of a matrix and its vectors in a class of wisdom.
template <class Scalar, class Ordinal, class Offset, class VectorScalar>
std::string wisdom_types() {
  return "scalar=" + scalar_name<Scalar>() + " vector=" + scalar_name<VectorScalar>() +
         " ordinal=" + std::to_string(sizeof(Ordinal)) + " offset=" + std::to_string(sizeof(Offset));
}

}  // namespace detail

}  // namespace einkorn
