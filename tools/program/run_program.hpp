// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include "program/exit_code.hpp"
#include "program/output.hpp"

#include <einkorn/core/error.hpp>

#include <exception>
#include <iostream>
#include <new>
#include <string>

namespace einkorn::program {

/// Calls body() and returns its exit code, the result of main. Every exception becomes a line on stderr and an
/// exit code. If stdout cannot be written, the code is bad_input.
template <class Body>
int run_program(char const* name, Body const& body) noexcept {
  auto const report_error = [name](char const* what, Exit code) {
    std::cerr << name << ": " << what << '\n';
    return static_cast<int>(code);
  };
  try {
    int const code = body();
    flush_stdout();
    return code;
  } catch (OutOfMemory const& error) {
    return report_error(error.what(), no_memory_or_device);
  } catch (Error const& error) {
    return report_error(error.what(), bad_input);
  } catch (std::bad_alloc const& error) {
    return report_error(("out of memory (" + std::string(error.what()) + ")").c_str(), no_memory_or_device);
  } catch (std::exception const& error) {
    return report_error(error.what(), no_memory_or_device);
  } catch (...) {
    return report_error("unknown exception", no_memory_or_device);
  }
}

}  // namespace einkorn::program
