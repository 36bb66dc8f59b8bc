#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/mpi.hpp>
#include <contextual/testing/communicator_conformance.hpp>

namespace contextual::communicator_test {

namespace {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

}  // namespace

TEST_CASE("MpiCommunicator: rank, size and description are those of MPI") {
  const auto world = mpi_world();
  CHECK(world->rank() == world_rank());
  CHECK(world->size() == world_size());
  CHECK(world->process_rank() == world_rank());
  CHECK(world->describe() ==
        "MPI (" + std::to_string(world_size()) + (world_size() == 1 ? " rank)" : " ranks)"));
  CHECK(mpi_world() == world);
}

TEST_CASE("MpiCommunicator: conforms") {
  const auto communicator = mpi_communicator(MPI_COMM_WORLD);
  CHECK(testing::check_communicator_rank(*communicator) == std::vector<std::string>{});
}

TEST_CASE("mpi_communicator: a group has ranks of its own and log files of the program") {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, 0, &half);
  const auto communicator = mpi_communicator(half);
  MPI_Comm_free(&half);
  CHECK(communicator->rank() == world_rank() / 2);
  CHECK(communicator->process_rank() == world_rank());
  const std::string of = communicator->size() == world_size() ? "" : " of " + std::to_string(world_size());
  CHECK_THAT(communicator->describe(),
             ContainsSubstring(std::to_string(communicator->size()) + of + " rank"));
  CHECK(testing::check_communicator_rank(*communicator) == std::vector<std::string>{});
}

TEST_CASE("mpi_communicator: messages of the application on its communicator do not disturb") {
  const auto communicator = mpi_communicator(MPI_COMM_WORLD);
  const int next = (world_rank() + 1) % world_size();
  const int before = (world_rank() + world_size() - 1) % world_size();
  int sent = world_rank();
  int received = -1;
  MPI_Request requests[2];
  MPI_Irecv(&received, 1, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  std::vector<std::int64_t> values{world_rank()};
  communicator->all_reduce_max(values, Deadline::after(std::chrono::seconds(30)));
  MPI_Isend(&sent, 1, MPI_INT, next, 0x436f, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(received == before);
  CHECK(values[0] == world_size() - 1);
}

TEST_CASE("mpi_communicator: no group and an inter-communicator are refused") {
  CHECK_THROWS_AS(mpi_communicator(MPI_COMM_NULL), InvalidArgument);
  if (world_size() > 1) {
    MPI_Comm local = MPI_COMM_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() == 0 ? 0 : 1, 0, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, world_rank() == 0 ? 1 : 0, 1, &inter);
    CHECK_THROWS_AS(mpi_communicator(inter), InvalidArgument);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
  }
}

TEST_CASE("MpiCommunicator: a rank that comes too late is named by all, and nobody gets through any more") {
  ONLY_IF(world_size() != 1);
  const auto communicator = mpi_communicator(MPI_COMM_WORLD, {.roll_call = std::chrono::milliseconds(300)});
  const int late = world_size() - 1;
  if (world_rank() == late) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
  std::vector<std::int64_t> values{1};
  std::vector<int> missing;
  const auto begin = std::chrono::steady_clock::now();
  try {
    communicator->all_reduce_max(values, Deadline::after(std::chrono::milliseconds(200)));
  } catch (const CommunicationError& error) {
    missing = error.missing_ranks();
  }
  CHECK(missing == std::vector<int>{late});
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  CHECK_THROWS_AS(communicator->all_gather("x", Deadline::after(std::chrono::seconds(30))),
                  CommunicationError);
}

}  // namespace contextual::communicator_test
