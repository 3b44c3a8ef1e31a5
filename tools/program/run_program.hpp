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

/// The line and the exit code of an exception.
struct Failure {
  std::string what;
  Exit code;
};

/// Of the exception being handled.
inline Failure current_failure() {
  try {
    throw;
  } catch (OutOfMemory const& error) {
    return {error.what(), no_memory_or_device};
  } catch (Error const& error) {
    return {error.what(), bad_input};
  } catch (std::bad_alloc const& error) {
    return {"out of memory (" + std::string(error.what()) + ")", no_memory_or_device};
  } catch (std::exception const& error) {
    return {error.what(), no_memory_or_device};
  } catch (...) {
    return {"unknown exception", no_memory_or_device};
  }
}

/// Calls body() and returns its exit code, the result of main. Every exception becomes a line on stderr and an
/// exit code. If stdout cannot be written, the code is bad_input.
template <class Body>
int run_program(char const* name, Body const& body) noexcept {
  try {
    int const code = body();
    flush_stdout();
    return code;
  } catch (...) {
    auto const failure = current_failure();
    std::cerr << name << ": " << failure.what << '\n';
    return failure.code;
  }
}

}  // namespace einkorn::program
