// A KernelTuner on ranks that are processes: one result and one cache for all, or a result of each rank.

#include "support/catch.hpp"

#include <contextual/kernel_tuner.hpp>
#include <contextual/mpi.hpp>
#include <contextual/testing/scripted_timer.hpp>

namespace contextual::kernel_tuner_test {

namespace {

Deadline soon() {
  return Deadline::after(std::chrono::seconds(60));
}

/// Each rank finds another config the fastest; on the slowest rank, which counts, the third one is.
KernelTunerOptions options_of(const std::shared_ptr<Communicator>& world) {
  KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 3};
  options.cache_directory = "";
  options.tuning.communicator = world;
  options.tuning.log_directory = "";
  options.tuning.deadline = std::chrono::seconds(60);
  options.tuning.timer = testing::scripted_timer([rank = world->rank()](const LaunchInfo& launch) {
    constexpr std::int64_t slow_us[] = {90, 80, 40, 70};
    return launch.config_id == static_cast<std::size_t>(rank % 2) ? 1'000
                                                                  : 1'000 * slow_us[launch.config_id] + rank;
  });
  return options;
}

std::string text_of(const TuningResult& result) {
  std::string text = result.best_config.to_string() + " " + std::to_string(result.metrics.latency.count());
  for (const ConfigReport& config : result.all_results) {
    text += " " + config.config.to_string() + " " + std::to_string(config.time.centre_ns);
  }
  return text + (result.from_cache ? " cached" : "");
}

void check_equal_on_all(Communicator& world, const std::string& text) {
  for (const std::string& other : world.all_gather(text, soon())) {
    CHECK(other == text);
  }
}

}  // namespace

TEST_CASE("KernelTuner: all ranks get one result, and the second time what rank 0 has cached") {
  const auto world = mpi_communicator(MPI_COMM_WORLD);
  int launches = 0;
  KernelTuner tuner{"mpi_kernel_tuner", ConfigSpace<Config>{{"BLOCK", {16, 32, 64, 128}}},
                    [&](const Config&, int) { ++launches; }, options_of(world)};
  const TuningResult first = tuner.tune({.problem_size = {4096}}, 1);
  CHECK_FALSE(first.from_cache);
  CHECK(first.best_config == Config{{"BLOCK", 64}});
  CHECK(first.all_results.size() == 4);
  CHECK(launches == 4 * 4 + 1);
  check_equal_on_all(*world, text_of(first));

  const TuningResult second = tuner.tune({.problem_size = {4096}}, 1);
  CHECK(second.from_cache);
  CHECK(launches == 4 * 4 + 1);
  check_equal_on_all(*world, text_of(second));
  CHECK(tuner.cache().get_all_keys().size() == (world->rank() == 0 ? 1U : 0U));
}

TEST_CASE(
    "KernelTuner: with the rank in its key a kernel has a choice of each rank, which falls back alone") {
  const auto world = mpi_communicator(MPI_COMM_WORLD);
  const int rank = world->rank();
  bool broken = false;
  int block = 0;
  TunableKernel kernel{"mpi_own_key",
                       ConfigSpace<Config>{{"BLOCK", {16, 32, 64, 128}}},
                       [](const int& of_rank) { return make_key(of_rank); },
                       [&](const Config& config, int) {
                         block = config.get<int>("BLOCK");
                         if (broken && block == 32) {
                           throw ConfigRejected("no memory left for it");
                         }
                       },
                       {.participation = Participation::some}};
  KernelTuner tuner{kernel, options_of(world)};
  for (int time = 0; time < 2; ++time) {
    const TuningResult result = tuner.tune({.problem_size = {4096}}, rank);
    CHECK_FALSE(result.from_cache);
    CHECK(result.best_config_id == static_cast<std::size_t>(rank % 2));
  }
  CHECK(tuner.cache().get_all_keys().empty());
  kernel(rank);
  CHECK(block == (rank % 2 == 0 ? 16 : 32));
  broken = true;
  CHECK_NOTHROW(kernel(rank));
  CHECK(block == 16);
}

}  // namespace contextual::kernel_tuner_test
