/// \file
/// A tuning by real ranks that dies where it is told to. run_resuming.py judges it.
///
///     resuming_program DIRECTORY RANK POINT
///
/// Tunes a region with the cache in DIRECTORY, and kills rank RANK when it comes to that point of its course,
/// of which the last number is written to DIRECTORY/points; 0 is never. Rank 0 writes what was chosen to
/// DIRECTORY/choices, and a byte a run of the region to DIRECTORY/runs.

#include <contextual/autotuner.hpp>
#include <contextual/config_space.hpp>
#include <contextual/kernel.hpp>
#include <contextual/mpi.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace contextual;

namespace {

struct Tiles {
  int tile = 0;
};

long points = 0;
long dies_at = 0;

void point() {
  if (++points == dies_at) {
    ::kill(::getpid(), SIGKILL);
  }
}

using Kernel = TunableKernel<void(const Tiles&, int)>;

Kernel kernel(const char* name, int configs) {
  std::vector<int> values;
  for (int value = 0; value < configs; ++value) {
    values.push_back(value);
  }
  return Kernel{name, ConfigSpace<Tiles>{{"TILE", &Tiles::tile, values}},
                [](const int& rows) { return make_key(rows); }, [](const Tiles&, int&) { point(); }};
}

void note_run(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  static_cast<void>(::write(descriptor, ".", 1) < 0);
  ::close(descriptor);
}

std::int64_t time_ns(const LaunchInfo& launch) {
  return 10'000 - 1'000 * static_cast<std::int64_t>(launch.config_id);
}

void tune(const std::filesystem::path& directory, int rank) {
  Kernel first = kernel("first", 5);
  Kernel second = kernel("second", 3);
  Kernel late = kernel("late", 2);
  std::int64_t iteration = 0;
  ContextualAutotuner tuner({.n_warmup = 1,
                             .n_repeat = 2,
                             .log_directory = "",
                             .cache_directory = directory / "cache",
                             .communicator = mpi_world(),
                             .timer = testing::scripted_timer(time_ns),
                             .progress = [](const Progress&) { point(); },
                             .before_iteration =
                                 [&](const IterationInfo& info) {
                                   iteration = info.tuning_iteration;
                                   point();
                                 }});
  tuner.run("resumed region", [&] {
    if (rank == 0) {
      note_run(directory / "runs");
    }
    first(1);
    second(1);
    if (iteration >= 20) {
      late(1);
    }
    point();
  });
  const Report report = tuner.report();
  std::ofstream choices(directory / ("choices." + std::to_string(rank)));
  for (const ProblemReport& problem : report.runs.back().problems) {
    choices << problem.kernel << ' ' << problem.choice << '\n';
  }
  if (rank == 0) {
    std::ofstream(directory / "points") << points;
    const std::vector<std::string>& warnings = report.runs.back().warnings;
    std::ofstream(directory / "resumed")
        << std::any_of(warnings.begin(), warnings.end(), [](const std::string& text) {
             return text.find("goes on with 0 ") == text.npos && text.find("goes on with ") != text.npos;
           });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: resuming_program DIRECTORY RANK POINT\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  dies_at = std::atoi(argv[2]) == rank ? std::atol(argv[3]) : 0;
  try {
    tune(argv[1], rank);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    return 1;
  }
  MPI_Finalize();
  return 0;
}
