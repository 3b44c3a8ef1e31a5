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

/// What main returns: the exit code that body() returns, with every exception turned into a line on stderr and
/// an exit code. stdout that could not be written is bad_input, whatever body() returned. Throws nothing.
template <class Body>
int run_program(char const* name, Body const& body) noexcept {
  auto const complain = [name](char const* what, Exit code) {
    std::cerr << name << ": " << what << '\n';
    return static_cast<int>(code);
  };
  try {
    int const code = body();
    flush_stdout();
    return code;
  } catch (OutOfMemory const& error) {
    return complain(error.what(), no_memory_or_device);
  } catch (Error const& error) {
    return complain(error.what(), bad_input);
  } catch (std::bad_alloc const& error) {
    return complain(("no memory to start or to go on (" + std::string(error.what()) + ")").c_str(),
                    no_memory_or_device);
  } catch (std::exception const& error) {
    return complain(error.what(), no_memory_or_device);
  } catch (...) {
    return complain("an exception that is no std::exception", no_memory_or_device);
  }
}

}  // namespace einkorn::program
