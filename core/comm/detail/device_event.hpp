// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <einkorn/core/comm/detail/device_runtime.hpp>

#include <Kokkos_Core.hpp>

namespace einkorn::detail {

/// A point in the work on an execution space instance for which the host or another instance waits, while later work
/// runs.
template <class Exec, bool exists = DeviceRuntime<Exec>::exists>
class DeviceEvent {
  using Runtime = DeviceRuntime<Exec>;

 public:
  explicit DeviceEvent(Exec const& exec) {
    Runtime::use(exec);
    event_ = Runtime::make_event();
  }
  DeviceEvent(DeviceEvent const&) = delete;
  DeviceEvent& operator=(DeviceEvent const&) = delete;
  ~DeviceEvent() { Runtime::destroy_event(event_); }

  /// After the work on exec so far.
  void record(Exec const& exec) { Runtime::record(exec, event_); }
  /// Waits for the work before the last record().
  void wait() { Runtime::wait(event_); }
  /// Later work on exec runs after the work before the last record(). Asynchronous; may be captured in a graph.
  void order(Exec const& exec) { Runtime::order(exec, event_); }

 private:
  typename Runtime::Event event_{};
};

/// Without events: record() waits.
template <class Exec>
class DeviceEvent<Exec, false> {
 public:
  explicit DeviceEvent(Exec const&) {}
  void record(Exec const& exec) { exec.fence("einkorn: work before messages"); }
  void wait() {}
};

/// A second instance of a GPU, of the highest priority, for work beside that on `exec`. fork() and join() may be
/// captured in a graph of exec.
template <class Exec>
class SideInstance {
 public:
  explicit SideInstance(Exec const& exec)
      : stream_(exec), instance_(stream_.handle), fork_(exec), join_(exec) {}

  [[nodiscard]] Exec const& instance() const { return instance_; }
  /// Later work on instance() runs after the work on exec so far.
  void fork(Exec const& exec) {
    fork_.record(exec);
    fork_.order(instance_);
  }
  /// The end of the work on instance() for which join() waits.
  void mark_end() { join_.record(instance_); }
  /// Later work on exec runs after mark_end().
  void join(Exec const& exec) { join_.order(exec); }

 private:
  struct Stream {
    explicit Stream(Exec const& exec) {
      DeviceRuntime<Exec>::use(exec);
      handle = DeviceRuntime<Exec>::make_stream_of_highest_priority();
    }
    Stream(Stream const&) = delete;
    Stream& operator=(Stream const&) = delete;
    ~Stream() { DeviceRuntime<Exec>::destroy_stream(handle); }
    typename DeviceRuntime<Exec>::Stream handle{};
  };
  Stream stream_;  // ends last
  Exec instance_;
  DeviceEvent<Exec> fork_, join_;
};

}  // namespace einkorn::detail
