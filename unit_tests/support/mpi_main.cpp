// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// main() of the tests that mpirun starts. Every rank runs all tests. The program fails if a test fails on any rank; ranks
// other than 0 print their failures only. An exception or a fatal failure of one rank aborts all, because the others may
// wait for it.

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace {

/// Prints the failures of a rank and aborts after a fatal one.
class FailuresOfRank : public testing::EmptyTestEventListener {
 public:
  FailuresOfRank(int rank, int size) : rank_(rank), size_(size) {}
  void OnTestStart(testing::TestInfo const& test) override { test_ = &test; }
  void OnTestPartResult(testing::TestPartResult const& result) override {
    if (!result.failed()) return;
    if (rank_ != 0)  // the printer of rank 0 remains
      std::printf("rank %d of %d: %s.%s: %s:%d: Failure\n%s\n", rank_, size_,
                  test_ ? test_->test_suite_name() : "", test_ ? test_->name() : "",
                  result.file_name() ? result.file_name() : "?", result.line_number(), result.message());
    std::fflush(stdout);
    if (result.fatally_failed() && size_ > 1) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }

 private:
  testing::TestInfo const* test_ = nullptr;
  int rank_, size_;
};

int run(int argc, char** argv, int rank, int size) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailuresOfRank(rank, size));
  testing::GTEST_FLAG(catch_exceptions) = false;
  return RUN_ALL_TESTS();
}

}  // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0, size = 1, worst = EXIT_FAILURE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  testing::InitGoogleTest(&argc, argv);
  try {
    int const result = run(argc, argv, rank, size);
    MPI_Allreduce(&result, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  } catch (std::exception const& error) {
    std::printf("rank %d of %d: exception: %s\n", rank, size, error.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return worst;
}
