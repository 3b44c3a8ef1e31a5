// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// Concurrent calls with one plan are detected without NDEBUG, as in this executable.

#undef NDEBUG

#include "../support/battery.hpp"
#include "../support/throws.hpp"
#include "../support/types.hpp"
#include "../support/vectors.hpp"

#include <einkorn/core/error.hpp>
#include <einkorn/formats/coo/from_csr.hpp>
#include <einkorn/formats/coo/spmv.hpp>
#include <einkorn/formats/csr/spmv_plan.hpp>
#include <einkorn/formats/csr5/from_csr.hpp>
#include <einkorn/formats/csr5/spmv.hpp>
#include <einkorn/formats/hyb/from_csr.hpp>
#include <einkorn/formats/hyb/spmv.hpp>
#include <einkorn/formats/spgemm/spgemm.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace einkorn::test {
namespace {

using detail::OneCallAtATime;
using Vector = Kokkos::View<double*, Device>;
std::vector<std::string> const refusal{"another call with this plan", "make a plan for each thread"};

/// Runs an action in another thread during the next launch.
class DuringNextLaunch {
 public:
  explicit DuringNextLaunch(std::function<void()> act) : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    action() = std::move(act);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(on_launch);
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(on_launch);
  }
  DuringNextLaunch(DuringNextLaunch const&) = delete;
  DuringNextLaunch& operator=(DuringNextLaunch const&) = delete;
  ~DuringNextLaunch() {
    Kokkos::Tools::Experimental::set_callbacks(before_);
    EXPECT_FALSE(action()) << "nothing was launched";
    action() = {};
  }

 private:
  static std::function<void()>& action() {
    static std::function<void()> action;
    return action;
  }
  static void on_launch(char const*, std::uint32_t, std::uint64_t* id) {
    *id = 0;
    if (!action()) return;
    auto const act = std::exchange(action(), {});
    std::thread(act).join();
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

Csr<double, int, int, Device> matrix() {
  return with_numbers<double>(random_pattern(60, 60, 3), Numbers::integers).on_device();
}

/// A call during a call of the plan or a copy of it throws; the first call and later ones are correct.
template <class Plan>
void expect_guarded(Plan const& plan) {
  auto const x = to_device(numbers<double>(Numbers::integers, 60, 2));
  Vector const y("y", 60), other("other", 60), want("want", 60);
  spmv(Space(), 1, matrix(), x, 0, want);
  Plan const copy = plan;
  {
    DuringNextLaunch const second(
        [&] { EXPECT_TRUE(throws<InvalidArgument>([&] { spmv(Space(), copy, 1, x, 0, other); }, refusal)); });
    spmv(Space(), plan, 1, x, 0, y);
  }
  EXPECT_EQ(to_host(y), to_host(want));
  spmv(Space(), copy, 1, x, 0, other);
  EXPECT_EQ(to_host(other), to_host(want));

  Vector const too_long("x", 61);
  EXPECT_TRUE(throws<DimensionMismatch>([&] { spmv(Space(), plan, 1, too_long, 0, y); }, {"61"}));
  spmv(Space(), plan, 1, x, 0, y);
  EXPECT_EQ(to_host(y), to_host(want)) << "after an error";
}

TEST(OneCallAtATime, PlansWithWorkspaceRejectConcurrentCalls) {
  auto const A = matrix();
  expect_guarded(make_spmv_plan(Space(), A, {.algorithm = SpmvAlgorithm::segmented_sum}));
  expect_guarded(make_spmv_plan(Space(), from_csr<Csr5>(Space(), A)));
  expect_guarded(make_spmv_plan(Space(), from_csr<Coo>(Space(), A)));
  expect_guarded(make_spmv_plan(Space(), from_csr<Hyb>(Space(), A)));
}

TEST(OneCallAtATime, UpdateValuesRejectsConcurrentCalls) {
  auto const A = matrix();
  auto plan = make_spmv_plan(Space(), A, {.algorithm = SpmvAlgorithm::segmented_sum});
  Vector const x("x", 60), y("y", 60);
  DuringNextLaunch const second(
      [&] { EXPECT_TRUE(throws<InvalidArgument>([&] { update_values(Space(), plan, A); }, refusal)); });
  spmv(Space(), plan, 1, x, 0, y);
}

TEST(OneCallAtATime, PlansWithoutWorkspaceAllowConcurrentCalls) {
  auto const A = matrix();
  auto const plan = make_spmv_plan(Space(), A, {.algorithm = SpmvAlgorithm::row_team});
  auto const x = to_device(numbers<double>(Numbers::integers, 60, 2));
  Vector const y("y", 60), other("other", 60);
  {
    DuringNextLaunch const second([&] { spmv(Space(), plan, 1, x, 0, other); });
    spmv(Space(), plan, 1, x, 0, y);
  }
  EXPECT_EQ(to_host(y), to_host(other));
}

TEST(OneCallAtATime, SpgemmPlansRejectConcurrentCalls) {
  auto const A = matrix();
  auto const plan = spgemm_symbolic(Space(), A, A);
  auto const C = spgemm_numeric(Space(), plan, A, A);
  DuringNextLaunch const second([&] {
    EXPECT_TRUE(throws<InvalidArgument>([&] { (void)spgemm_numeric(Space(), plan, A, A); }, refusal));
  });
  spgemm_numeric(Space(), plan, A, A, C);
}

/// Every call of four threads is correct or throws without writing y.
TEST(OneCallAtATime, ConcurrentCallsReturnTheProductOrThrow) {
  auto const plan = make_spmv_plan(Space(), matrix(), {.algorithm = SpmvAlgorithm::segmented_sum});
  auto const x = to_device(numbers<double>(Numbers::integers, 60, 2));
  Vector const want("want", 60);
  spmv(Space(), plan, 1, x, 0, want);
  auto const product = to_host(want);
  std::vector<double> const untouched(60, -7.0);
  std::atomic<int> products = 0, refused = 0, wrong = 0;
  auto const work = [&] {
    Vector const y("y", 60);
    for (int i = 0; i < 300; ++i) {
      Kokkos::deep_copy(y, -7.0);
      bool is_refused = false;
      try {
        spmv(Space(), plan, 1, x, 0, y);
      } catch (InvalidArgument const&) {
        is_refused = true;
      }
      ++(is_refused ? refused : products);
      wrong += to_host(y) != (is_refused ? untouched : product);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(products + refused, 1200);
  EXPECT_GT(products, 0);
}

TEST(OneCallAtATime, DefaultConstructedIsInactive) {
  OneCallAtATime const nothing;
  auto const first = nothing.begin("spmv", "plan");
  EXPECT_NO_THROW((void)nothing.begin("spmv", "plan"));
}

}  // namespace
}  // namespace einkorn::test
