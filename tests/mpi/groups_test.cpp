// Groups of one program that tune apart.

#include "support/catch.hpp"
#include "support/report_of.hpp"

#include <contextual/kernel.hpp>
#include <contextual/mpi.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace contextual::groups_test {

namespace {

struct StepConfig {
  int step = 0;
};

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

Deadline soon() {
  return Deadline::after(std::chrono::seconds(60));
}

/// A communicator of this rank's group: ranks with equal `colour`.
std::shared_ptr<Communicator> group_of(int colour) {
  MPI_Comm group = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &group);
  auto communicator = mpi_communicator(group);
  MPI_Comm_free(&group);
  return communicator;
}

/// `fastest` is the config that is the fastest where this is called.
Options scripted_options(std::shared_ptr<Communicator> communicator, std::size_t fastest) {
  Options options{.n_warmup = 1,
                  .n_repeat = 1,
                  .deadline = std::chrono::seconds(60),
                  .log_directory = "",
                  .communicator = std::move(communicator),
                  .timer = testing::scripted_timer([fastest](const LaunchInfo& launch) {
                    return launch.config_id == fastest ? 1'000 : 2'000;
                  })};
  return options;
}

/// Tunes one kernel of four configs; which one is chosen.
std::size_t tune(const Options& options, int runs_more = 0) {
  TunableKernel kernel{"step", ConfigSpace<StepConfig>{{"STEP", &StepConfig::step, {0, 1, 2, 3}}},
                       [] { return single_problem(); }, [](const StepConfig&) {}};
  ContextualAutotuner tuner{options};
  for (int run = 0; run <= runs_more; ++run) {
    const Options again{.always_tune = true};
    tuner.run(
        "region", [&] { kernel(); }, again);
  }
  return test::report_of(tuner, "region").problems.at(0).choice;
}

/// A folder that all ranks know, made by rank 0.
std::filesystem::path shared_folder(Communicator& world) {
  std::string name;
  if (world.rank() == 0) {
    std::string pattern = (std::filesystem::temp_directory_path() / "contextual-groups-XXXXXX").string();
    name = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
  }
  return world.all_gather(name, soon()).at(0);
}

}  // namespace

TEST_CASE("groups that tune apart: choices are alike in a group, and each group's own") {
  const int colour = world_rank() % 2;
  const auto group = group_of(colour);
  const std::size_t fastest = colour == 0 ? 1 : 2;
  // They do not even tune equally often.
  const std::size_t choice = tune(scripted_options(group, fastest), colour);
  CHECK(choice == fastest);
  for (const std::string& other : group->all_gather(std::to_string(choice), soon())) {
    CHECK(other == std::to_string(choice));
  }
}

TEST_CASE("groups that tune apart: each process has a log of its own") {
  const auto world = mpi_communicator(MPI_COMM_WORLD);
  const auto group = group_of(world->rank() % 2);
  const std::filesystem::path folder = shared_folder(*world);
  REQUIRE_FALSE(folder.empty());
  Options options = scripted_options(group, 1);
  options.log_directory = folder;
  tune(options);
  static_cast<void>(world->all_gather("", soon()));  // all are written

  const std::string own = "rank-" + std::to_string(world->rank()) + ".jsonl";
  std::ifstream log(folder / own);
  int starts = 0;
  int foreign = 0;
  for (std::string line; std::getline(log, line);) {
    starts += line.find("\"event\":\"run_start\"") != std::string::npos ? 1 : 0;
    foreign += line.find("\"rank\":" + std::to_string(group->rank()) + ",") == std::string::npos ? 1 : 0;
  }
  CHECK(starts == 1);
  CHECK(foreign == 0);
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") {
      names.insert(entry.path().filename().string());
    }
  }
  CHECK(names.size() == static_cast<std::size_t>(world->size()));
  CHECK(names.count(own) == 1);

  static_cast<void>(world->all_gather("", soon()));  // all have looked
  if (world->rank() == 0) {
    std::filesystem::remove_all(folder);
  }
}

}  // namespace contextual::groups_test
