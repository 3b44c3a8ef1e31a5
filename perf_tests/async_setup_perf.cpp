// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
//
// einkorn.perf.async_setup MATRIX... [--format dia|sell|csr5] [--repeat N] [--chunk BYTES] [--threads N]
//
// Measures the setup of a matrix in pageable host memory: its conversion to a format and the extraction of its
// diagonal on the device. Each round runs three variants: plain (deep_copy, from_csr, extract_diagonal), staged
// (upload(), then the same) and overlapped (async_setup()), and measures the link: one copy of as many bytes
// from pinned memory. Times are medians over the rounds. Every result is compared with that of the plain
// variant. On a host space the link is a copy within its memory.
#include "program/run_program.hpp"
#include "support/context.hpp"
#include "support/matrices.hpp"
#include "support/stamp.hpp"
#include "support/text.hpp"
#include "support/timing.hpp"

#include <einkorn/core/allocate.hpp>
#include <einkorn/core/error.hpp>
#include <einkorn/formats/csr/diagonal.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/dia/from_csr.hpp>
#include <einkorn/formats/interop/upload.hpp>
#include <einkorn/formats/sell/from_csr.hpp>
#include <einkorn/solvers/async_setup.hpp>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace einkorn;
using namespace einkorn::perf;
using Matrix = Csr<double, int, int, Device>;
using OnHost = Csr<double, int, int, Kokkos::HostSpace::device_type>;
using Values = Kokkos::View<double*, Device>;

struct Settings {
  std::vector<std::string> matrices;
  std::string format = "sell";
  int repeat = 7;
  UploadOptions upload;
};

/// One variant: seconds until the call returns, and until the result is complete.
struct Variant {
  std::string name;
  std::vector<double> returned, done;
};

template <class View>
auto on_host(View const& view) {
  using Entry = typename View::non_const_value_type;
  Kokkos::View<Entry*, Kokkos::HostSpace> const copy(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "einkorn::perf::on_host"), view.extent(0));
  Kokkos::deep_copy(copy, view);
  return copy;
}

template <class View>
auto on_device(Exec const& exec, View const& view) {
  using Entry = typename View::non_const_value_type;
  auto const copy = allocate<Kokkos::View<Entry*, Device>>(exec, "einkorn::perf::on_device", view.extent(0));
  Kokkos::deep_copy(exec, copy, view);
  return copy;
}

struct Differences {
  Values a, b;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& count) const {
    count += a(i) != b(i) && (a(i) == a(i) || b(i) == b(i));
  }
};
bool differ(Exec const& exec, Values const& a, Values const& b) {
  std::size_t count = 0;
  if (a.extent(0) != b.extent(0)) return true;
  Kokkos::parallel_reduce("einkorn::perf::differ",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, a.extent(0)),
                          Differences{a, b}, count);
  return count > 0;
}

/// The bandwidth of copies of up to 1 GiB from pinned memory.
class PinnedCopy {
 public:
  PinnedCopy(Exec const& exec, std::size_t bytes)
      : from_("einkorn::perf::pinned", std::min(bytes, std::size_t(1) << 30)),
        to_("einkorn::perf::target", from_.extent(0)),
        exec_(exec) {}
  [[nodiscard]] double bytes_per_second() const {
    double const seconds = wall_seconds_of(exec_, [&] { Kokkos::deep_copy(exec_, to_, from_); });
    return static_cast<double>(from_.extent(0)) / seconds;
  }

 private:
  Kokkos::View<char*, Kokkos::SharedHostPinnedSpace> from_;
  Kokkos::View<char*, Device> to_;
  Exec exec_;
};

template <template <class, class, class, class> class Format>
class SetupVariants {
 public:
  SetupVariants(Exec const& exec, OnHost const& A, UploadOptions const& options)
      : exec_(exec), host_(A), options_(options), staging_(exec, options) {}

  void plain(Variant& variant) const {
    measure(variant, [&](auto const&) {
      Matrix const A{host_.num_rows, host_.num_cols, on_device(exec_, host_.row_offsets),
                     on_device(exec_, host_.columns), on_device(exec_, host_.values)};
      return convert(A);
    });
  }
  void staged(Variant& variant) const {
    measure(variant, [&](auto const& returns) {
      auto sent = upload(exec_, host_, options_, staging_);
      returns();
      return convert(sent.wait());
    });
  }
  void overlapped(Variant& variant) const {
    measure(variant, [&](auto const& returns) {
      auto work = async_setup<Format>(exec_, host_, {.format = {}, .upload = options_}, staging_);
      returns();
      auto const ready = work.wait();
      return std::pair(ready.matrix.values, ready.diagonal);
    });
  }
  [[nodiscard]] bool wrong() const { return wrong_; }

 private:
  using Result = std::pair<Values, Values>;  // values of the format; diagonal

  [[nodiscard]] Result convert(Matrix const& A) const {
    auto const F = from_csr<Format>(exec_, A);
    auto const d = allocate<Values>(exec_, "einkorn::perf::diagonal", static_cast<std::size_t>(A.num_rows));
    extract_diagonal(exec_, A, d);
    return {F.values, d};
  }
  template <class Work>
  void measure(Variant& variant, Work const& work) const {
    exec_.fence();
    double returned = 0;
    Kokkos::Timer const timer;
    auto const [values, diagonal] = work([&] { returned = timer.seconds(); });
    exec_.fence();
    double const done = timer.seconds();
    variant.returned.push_back(returned > 0 ? returned : done);
    variant.done.push_back(done);
    if (values_.extent(0) == 0) {
      values_ = on_device(exec_, on_host(values));
      diagonal_ = on_device(exec_, on_host(diagonal));
    }
    wrong_ = wrong_ || differ(exec_, values, values_) || differ(exec_, diagonal, diagonal_);
  }

  Exec exec_;
  OnHost host_;
  UploadOptions options_;
  UploadStaging<Exec> staging_;
  mutable Values values_, diagonal_;
  mutable bool wrong_ = false;
};

template <template <class, class, class, class> class Format>
bool bench(Exec const& exec, Settings const& settings, OnHost const& A) {
  std::size_t const bytes = A.row_offsets.extent(0) * sizeof(int) + A.columns.extent(0) * sizeof(int) +
                            A.values.extent(0) * sizeof(double);
  SetupVariants<Format> const setups(exec, A, settings.upload);
  PinnedCopy const pinned(exec, bytes);
  std::vector<double> rates;
  std::vector<Variant> variants{{"plain", {}, {}}, {"staged", {}, {}}, {"overlapped", {}, {}}};
  for (int round = -1; round < settings.repeat; ++round) {  // round -1 is a warm-up
    rates.push_back(pinned.bytes_per_second());
    setups.plain(variants[0]);
    setups.staged(variants[1]);
    setups.overlapped(variants[2]);
    if (round >= 0) continue;
    rates.clear();
    for (auto& variant : variants) variant = {variant.name, {}, {}};
  }
  double const link = median(rates), mega = 1e-6 * static_cast<double>(bytes);
  std::cout << text("%.1f MB to the device; link, from pinned memory: %.1f GB/s, %s\n", mega, 1e-9 * link,
                    time_text(static_cast<double>(bytes) / link).c_str());
  std::cout << "variant       returns after   done after    spread   GB/s   of link   of plain time\n";
  for (auto const& variant : variants) {
    double const done = median(variant.done), rate = static_cast<double>(bytes) / done;
    std::cout << text("%-12s  %13s  %11s  %7.1f%%  %5.1f  %7.2f  %16.2f\n", variant.name.c_str(),
                      time_text(median(variant.returned)).c_str(), time_text(done).c_str(),
                      100 * spread(variant.done).value_or(0), 1e-9 * rate, rate / link,
                      done / median(variants[0].done));
  }
  if (setups.wrong()) std::cout << "WRONG: the variants give different bits\n";
  return setups.wrong();
}

int run_all(Settings const& settings) {
  keep_freed_memory();
  Exec const exec;
  auto const context = context_of(exec);
  warn_about_environment();
  std::cout << stamp_text(context) << ", " << settings.format << ", median of " << settings.repeat << '\n';
  bool wrong = false;
  for (auto const& name : settings.matrices) {
    OnHost A;
    {
      auto const loaded = load_matrix<double, int, int>(exec, name);
      A = {loaded.num_rows, loaded.num_cols, on_host(loaded.row_offsets), on_host(loaded.columns),
           on_host(loaded.values)};
    }
    std::cout << '\n' << name << ": " << A.num_rows << " rows, " << A.nnz() << " entries, ";
    if (settings.format == "dia")
      wrong = bench<Dia>(exec, settings, A) || wrong;
    else if (settings.format == "csr5")
      wrong = bench<Csr5>(exec, settings, A) || wrong;
    else
      wrong = bench<Sell>(exec, settings, A) || wrong;
  }
  return wrong ? 1 : 0;
}

int parse_and_run(int argc, char* argv[]) {
  Settings settings;
  CLI::App app("Measures the setup of a matrix on a device, sequential and overlapped.",
               "einkorn.perf.async_setup");
  app.add_option("MATRIX", settings.matrices, "Matrix Market file or generator: gen:stencil7:256, ...")
      ->required();
  app.add_option("--format", settings.format)
      ->check(CLI::IsMember({"dia", "sell", "csr5"}))
      ->capture_default_str();
  app.add_option("--repeat", settings.repeat)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--chunk", settings.upload.chunk_bytes, "Bytes of pinned memory per thread")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
  app.add_option("--threads", settings.upload.threads,
                 "Threads that copy to pinned memory; 0: chosen for the machine")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  Kokkos::ScopeGuard const kokkos;
  return run_all(settings);
}

}  // namespace

int main(int argc, char* argv[]) {
  return einkorn::program::run_program("einkorn.perf.async_setup", [&] { return parse_and_run(argc, argv); });
}
