// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/calibrate.hpp"
#include "support/gather.hpp"
#include "support/progress.hpp"
#include "support/timing.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

namespace einkorn::perf {

namespace {

constexpr int launches = 1000, min_copies = 3;
constexpr std::size_t gather_length = std::size_t(1) << 25;  // 256 MB of doubles

void launch_empty_kernels(Exec const& exec, Kokkos::View<int*, Device> const& flag) {
  for (int i = 0; i < launches; ++i)
    Kokkos::parallel_for(
        "einkorn::perf::launch", Kokkos::RangePolicy<Exec>(exec, 0, exec.concurrency()), KOKKOS_LAMBDA(int k) {
          if (flag(0) > k) flag(0) = 0;
        });
}

}  // namespace

MachineProfile calibrate(Exec const& exec, Bandwidth const& bandwidth, double seconds) {
  Kokkos::Timer const timer;
  progress::stage("calibrate", "measuring copy, stream, gather and launch");
  Gather const gather(exec, gather_length, sizeof(double));
  Kokkos::View<int*, Device> const flag("einkorn::perf::calibrate::flag", 1);
  std::vector<double> copies, streams, gathers, kernels;
  auto const nothing = [] {};
  launch_empty_kernels(exec, flag);
  while (copies.size() < min_copies || timer.seconds() < seconds) {
    progress::step(static_cast<int>(timer.seconds()), static_cast<int>(seconds));
    copies.push_back(seconds_of(exec, nothing, [&] { bandwidth.copy(); }));
    streams.push_back(seconds_of(exec, nothing, [&] { bandwidth.stream(); }));
    gathers.push_back(seconds_of(exec, nothing, gather));
    kernels.push_back(seconds_of(exec, nothing, [&] { launch_empty_kernels(exec, flag); }));
  }
  progress::finish();
  return {machine_key(exec), static_cast<double>(bandwidth.copy_bytes()) / median(copies),
          static_cast<double>(bandwidth.stream_bytes()) / median(streams),
          static_cast<double>(gather.count()) / median(gathers), median(kernels) / launches};
}

}  // namespace einkorn::perf
