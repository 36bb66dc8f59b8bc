/// \file
/// nccl_world, which is made once in a process: each rank is a child process here, and NCCL is scripted for
/// one rank.

#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "unit/sync/nccl/nccl_ranks.hpp"
#include "unit/sync/nccl/scripted_nccl.hpp"

#include <contextual/nccl.hpp>

namespace contextual::test::nccl_test::nccl_world_test {

using namespace std::chrono_literals;

namespace {

/// The environment of torchrun.
std::vector<std::pair<std::string, std::string>> rank_of_two(int rank) {
  return {{"TORCHELASTIC_RUN_ID", "x"},
          {"WORLD_SIZE", "2"},
          {"RANK", std::to_string(rank)},
          {"LOCAL_WORLD_SIZE", "2"},
          {"CONTEXTUAL_RENDEZVOUS_PORT", std::to_string(free_port())}};
}

}  // namespace

TEST_CASE("child process: a program that no launcher started") {
  ONLY_IF(is_child());
  const ScriptedNccl scripted;
  CHECK(nccl_world()->size() == 1);
  CHECK(nccl_world() == one_rank());
  CHECK(scripted.made() == 0);
}

TEST_CASE("child process: one rank of 2 alone") {
  ONLY_IF(is_child());
  const ScriptedNccl scripted;
  const bool is_rank_0 = std::string(std::getenv("RANK")) == "0";
  const auto error = caught<CommunicationError>([] { nccl_world({.setup_deadline = 200ms}); });
  const std::string port = std::string("port ") + std::getenv("CONTEXTUAL_RENDEZVOUS_PORT");
  CHECK((is_rank_0 || std::string(error.what()).find(port) != std::string::npos));
  CHECK(error.missing_ranks() == std::vector<int>{is_rank_0 ? 1 : 0});
  CHECK(scripted.made() == 0);
}

TEST_CASE("child process: a rank without a device") {
  ONLY_IF(is_child());
  const ScriptedNccl scripted;
  ScriptedGpu::set_current(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(nccl_world({.setup_deadline = 60s}), InvalidArgument);
  CHECK(std::chrono::steady_clock::now() - begin < 30s);  // it does not meet the others first
}

TEST_CASE("child process: a group of a program") {
  ONLY_IF(is_child());
  const ScriptedNccl scripted;
  const auto group = nccl_communicator(nccl_id(), 0, 1);
  CHECK(group->rank() == 0);
  CHECK(group->process_rank() == 5);
}

TEST_CASE("nccl_world: a program of one process has one rank") {
  CHECK(run_child("a program that no launcher started",
                  {{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}) == 0);
}

TEST_CASE("nccl_world: the ranks that do not come are named") {
  CHECK(run_child("one rank of 2 alone", rank_of_two(1)) == 0);
  CHECK(run_child("one rank of 2 alone", rank_of_two(0)) == 0);
}

TEST_CASE("nccl_world: what a rank lacks itself it says at once") {
  CHECK(run_child(
            "a rank without a device",
            {{"TORCHELASTIC_RUN_ID", "x"}, {"WORLD_SIZE", "2"}, {"RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}}) ==
        0);
}

TEST_CASE("nccl_communicator: its process rank is the launcher's") {
  CHECK(run_child("a group of a program", {{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_RANK", "5"}}) ==
        0);
}

}  // namespace contextual::test::nccl_test::nccl_world_test
