// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#include "support/progress.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <unistd.h>

namespace einkorn::perf::progress {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct State {
  Style style = Style::lines;
  std::string matrix, what;
  Clock::time_point start, last_line;
  std::vector<std::pair<std::string, double>> seconds;
};

State& state() {
  static State only;
  return only;
}

std::string status_line(std::string const& rest) {
  return "einkorn-bench: " + state().matrix + ": " + state().what + rest;
}

void show_bar(int done, int total) {
  auto const end = total > 0 ? " " + progress_bar(done, total, 20) : std::string();
  std::cerr << "\r\033[K" << status_line(end) << text(" %.1f s", since(state().start)) << std::flush;
}

}  // namespace

std::string progress_bar(int done, int total, int width) {
  int const full = total <= 0 ? 0 : std::clamp(width * done / total, 0, width);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(width - full), '.') + "]";
}

void choose(bool quiet) {
  choose(quiet ? Style::quiet : isatty(STDERR_FILENO) != 0 ? Style::bar : Style::lines);
}

void choose(Style style) {
  state().style = style;
}

void stage(std::string const& matrix, std::string const& what) {
  finish();
  auto& now = state();
  now.matrix = matrix;
  now.what = what;
  now.start = now.last_line = Clock::now();
  if (now.style == Style::lines) std::cerr << status_line("") << '\n';
  if (now.style == Style::bar) show_bar(0, 0);
}

void step(int done, int total) {
  auto& now = state();
  if (now.what.empty()) return;
  if (now.style == Style::bar) return show_bar(done, total);
  if (now.style == Style::quiet || since(now.last_line) < 2.0) return;
  now.last_line = Clock::now();
  std::cerr << status_line(text(", %d of %d", done, total)) << '\n';
}

void finish() {
  auto& now = state();
  if (now.what.empty()) return;
  double const elapsed = since(now.start);
  if (now.style == Style::bar) std::cerr << "\r\033[K" << status_line(text(" %.1f s", elapsed)) << '\n';
  auto const same = [&](auto const& stage) { return stage.first == now.what; };
  auto const known = std::find_if(now.seconds.begin(), now.seconds.end(), same);
  if (known != now.seconds.end())
    known->second += elapsed;
  else
    now.seconds.emplace_back(now.what, elapsed);
  now.what.clear();
}

std::vector<std::pair<std::string, double>> seconds() {
  return state().seconds;
}

}  // namespace einkorn::perf::progress
