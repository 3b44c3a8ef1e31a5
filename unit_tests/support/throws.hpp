// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <vector>

namespace einkorn::test {

/// Checks that the call throws exactly Kind with a message that contains all parts.
template <class Kind, class Call>
testing::AssertionResult throws(Call const& call, std::vector<std::string> const& parts) {
  try {
    call();
  } catch (Kind const& error) {
    for (auto const& part : parts)
      if (std::string(error.what()).find(part) == std::string::npos)
        return testing::AssertionFailure() << '"' << error.what() << "\" does not say \"" << part << '"';
    return testing::AssertionSuccess();
  } catch (std::exception const& error) {
    return testing::AssertionFailure() << "another exception: " << error.what();
  }
  return testing::AssertionFailure() << "nothing was thrown";
}

}  // namespace einkorn::test
