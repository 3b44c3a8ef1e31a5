// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: The Einkorn authors
// NcclTransport, on the ranks of mpirun with one GPU each.

#include "transport_tests.hpp"

#include <einkorn/core/comm/mpi_communicator.hpp>
#include <einkorn/core/comm/nccl_transport.hpp>

#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>

namespace einkorn::test {
namespace {

std::unique_ptr<Transport<Space>> make_nccl_transport(Communicator const& comm) {
  return std::make_unique<NcclTransport<Space>>(Space(), comm);
}

TEST(NcclTransport, HaloOfRandomPatterns) {
  halo_of_random_patterns(make_mpi_communicator(), make_nccl_transport);
}
TEST(NcclTransport, Lifetimes) {
  halo_lifetimes(make_mpi_communicator(), make_nccl_transport);
}
TEST(NcclTransport, GatherOfRanges) {
  gather_of_ranges(make_mpi_communicator(), make_nccl_transport);
}
TEST(NcclTransport, InvalidMessages) {
  invalid_messages(make_mpi_communicator(), make_nccl_transport);
}
TEST(NcclTransport, MismatchedMessages) {
  mismatched_messages(make_mpi_communicator(), make_nccl_transport);
}
TEST(NcclTransport, Name) {
  NcclTransport<Space> const transport(Space(), make_mpi_communicator());
  EXPECT_EQ(transport.name(), "nccl");
  EXPECT_TRUE(transport.is_stream_ordered());
}

}  // namespace
}  // namespace einkorn::test
