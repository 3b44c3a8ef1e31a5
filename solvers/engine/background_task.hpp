// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/detail/caller_device.hpp>

#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

namespace einkorn::detail {

/// Runs one task at a time, in a thread of its own or in begin(), on the device of the caller. wait() throws its exceptions.
class BackgroundTask {
 public:
  BackgroundTask() = default;
  BackgroundTask(BackgroundTask const&) = delete;
  BackgroundTask& operator=(BackgroundTask const&) = delete;
  ~BackgroundTask() { join(); }

  /// @pre The previous task was waited for.
  void begin(bool in_a_thread, std::function<void()> work) {
    auto const task = [this, work = std::move(work)] {
      try {
        work();
      } catch (...) {
        failure_ = std::current_exception();
      }
    };
    if (in_a_thread) {
      try {
        thread_ = std::thread([task, device = CallerDevice()] {
          device.use();
          task();
        });
        return;
      } catch (std::system_error const&) {  // no thread available: run it here
      }
    }
    task();
  }
  void wait() {
    join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace einkorn::detail
