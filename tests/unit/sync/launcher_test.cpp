#include "support/catch.hpp"

#include <contextual/detail/sync/launcher.hpp>

namespace contextual::detail::launcher_test {

namespace {

std::optional<LaunchedRank> launched(const std::map<std::string, std::string>& environment) {
  return detail::launched_rank([&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

}  // namespace

TEST_CASE("launcher: the rank of a program of several is found for every launcher") {
  const auto mpirun = launched({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}});
  REQUIRE(mpirun);
  CHECK(mpirun->rank == 3);
  CHECK(mpirun->size == 4);
  CHECK(mpirun->size_variable == "OMPI_COMM_WORLD_SIZE");
  CHECK(launched({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}})->rank == 1);
  CHECK(launched({{"SLURM_NTASKS", "128"}, {"SLURM_STEP_NUM_TASKS", "128"}, {"SLURM_PROCID", "127"}})->rank ==
        127);
}

TEST_CASE("launcher: mpirun within a Slurm job says which rank it is") {
  const auto rank = launched({{"SLURM_STEP_NUM_TASKS", "2"},
                              {"SLURM_PROCID", "0"},
                              {"OMPI_COMM_WORLD_SIZE", "16"},
                              {"OMPI_COMM_WORLD_RANK", "9"}});
  REQUIRE(rank);
  CHECK(rank->rank == 9);
  CHECK(rank->size == 16);
}

TEST_CASE("launcher: torchrun says which rank it is, also within another launcher") {
  const std::map<std::string, std::string> torchrun{
      {"WORLD_SIZE", "8"}, {"RANK", "5"}, {"TORCHELASTIC_RUN_ID", "none"}};
  std::map<std::string, std::string> within = torchrun;
  within.insert({{"SLURM_STEP_NUM_TASKS", "2"},
                 {"SLURM_PROCID", "1"},
                 {"OMPI_COMM_WORLD_SIZE", "2"},
                 {"OMPI_COMM_WORLD_RANK", "1"}});
  for (const auto& environment : {torchrun, within}) {
    const auto rank = launched(environment);
    REQUIRE(rank);
    CHECK(rank->rank == 5);
    CHECK(rank->size == 8);
    CHECK(rank->size_variable == "WORLD_SIZE");
    CHECK(rank->launcher == detail::Launcher::torchrun);
  }
}

TEST_CASE("launcher: torchrun's common names without its mark count only where no launcher is known") {
  const std::map<std::string, std::string> by_hand{
      {"WORLD_SIZE", "8"}, {"RANK", "5"}, {"MASTER_ADDR", "node-0"}};
  CHECK(launched(by_hand)->rank == 5);
  std::map<std::string, std::string> within = by_hand;
  within.insert({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}});
  CHECK(launched(within)->rank == 1);
  CHECK_FALSE(launched({{"WORLD_SIZE", "8"}, {"RANK", "5"}}));  // of another program
}

TEST_CASE("launcher: a program that was started alone has no launcher's rank") {
  CHECK_FALSE(launched({}));
  CHECK_FALSE(launched({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}));
  CHECK_FALSE(launched({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}));  // in a job's script, without srun
}

TEST_CASE("launcher: variables that make no sense are left out") {
  CHECK_FALSE(launched({{"PMI_SIZE", "two"}, {"PMI_RANK", "1"}}));
  CHECK_FALSE(launched({{"PMI_SIZE", "2"}, {"PMI_RANK", "1x"}}));
  CHECK_FALSE(launched({{"PMI_SIZE", "2"}, {"PMI_RANK", "2"}}));
  CHECK_FALSE(launched({{"PMI_SIZE", "2"}, {"PMI_RANK", "-1"}}));
  CHECK_FALSE(launched({{"PMI_SIZE", ""}, {"PMI_RANK", ""}}));
  CHECK_FALSE(launched({{"PMI_SIZE", "99999999999999999999"}, {"PMI_RANK", "1"}}));
}

}  // namespace contextual::detail::launcher_test
