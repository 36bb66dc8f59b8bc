// The last rank is short of disk or memory: the others neither wait for it nor blame a config.

#include "support/catch.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>
#include <contextual/mpi.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <mpi.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace contextual::shortage_test {

namespace fs = std::filesystem;

namespace {

struct Tile {
  int size = 1;
};

bool is_last(const Communicator& world) {
  return world.rank() + 1 == world.size();
}

/// One for all ranks, which rank 0 removes.
class SharedDirectory {
 public:
  explicit SharedDirectory(const Communicator& world) : makes_(world.rank() == 0) {
    const std::string name = (fs::temp_directory_path() / "shortage-XXXXXX").string();
    name.copy(path_.data(), path_.size() - 1);
    if (makes_) {
      REQUIRE(::mkdtemp(path_.data()) != nullptr);
    }
    MPI_Bcast(path_.data(), static_cast<int>(path_.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;
  ~SharedDirectory() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (makes_) {
      std::error_code ignored;
      fs::remove_all(path(), ignored);
    }
  }
  fs::path path() const { return path_.data(); }

 private:
  bool makes_;
  std::array<char, 200> path_{};
};

Options options_of(const std::shared_ptr<Communicator>& world) {
  Options options{.search = SearchLevel::off,
                  .deadline = std::chrono::seconds(3),
                  .log_directory = "",
                  .cache_directory = "",
                  .print = Print::nothing,
                  .communicator = world,
                  .timer = testing::scripted_timer([](const LaunchInfo& launch) {
                    return 9000 - 1000 * static_cast<std::int64_t>(launch.config_id);
                  })};
  return options;
}

/// Waits for the other ranks, as communication does.
auto waiting_kernel(const std::string& name) {
  return std::make_unique<TunableKernel<void(const Tile&)>>(
      name, ConfigSpace<Tile>{{"SIZE", &Tile::size, {1, 2, 3, 4, 5, 6, 7, 8}}}, [] { return make_key(1); },
      [](const Tile&) { MPI_Barrier(MPI_COMM_WORLD); });
}

/// While it lives, no file of this process grows beyond `bytes`, if `here`.
class FileSizeLimit {
 public:
  FileSizeLimit(rlim_t bytes, bool here) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{here ? bytes : before_.rlim_cur, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("shortage: logs of one rank that cannot grow hold up no rank") {
  const auto world = mpi_communicator(MPI_COMM_WORLD);
  const SharedDirectory directory(*world);
  constexpr std::size_t full = 8192;
  for (const char* ending : {".log", ".jsonl"}) {
    std::ofstream(directory.path() / ("rank-" + std::to_string(world->rank()) + ending))
        << std::string(full - 10, ' ') << '\n';
  }
  Options options = options_of(world);
  options.log_directory = directory.path();
  const auto kernel = waiting_kernel("logs");
  ContextualAutotuner tuner(options);
  {
    const FileSizeLimit limit(full, is_last(*world));
    CHECK_NOTHROW(tuner.run("logs", [&] { (*kernel)(); }));
  }
  CHECK(tuner.report("logs").problems.front().choice == 7);
  CHECK((fs::file_size(directory.path() / ("rank-" + std::to_string(world->rank()) + ".jsonl")) == full) ==
        is_last(*world));
}

TEST_CASE("shortage: where one rank has no memory for a copy, all ranks throw, and the next run works") {
  const auto world = mpi_communicator(MPI_COMM_WORLD);
  const auto kernel = waiting_kernel("copies");
  ContextualAutotuner tuner(options_of(world));
  char state = 0;
  const Restored buffer{"state", &state, is_last(*world) ? std::size_t{1} << 60U : 1};
  CHECK_THROWS_WITH(tuner.run("copies", [&] { (*kernel)(); }, {.restore = {{buffer}}}),
                    ContainsSubstring("buffer \"state\"") && ContainsSubstring("1152921504606846976 bytes") &&
                        ContainsSubstring("rank " + std::to_string(world->size() - 1)));
  CHECK_NOTHROW(tuner.run("copies", [&] { (*kernel)(); }));
  CHECK_NOTHROW(tuner.run("copies", [&] { (*kernel)(); }, {.restore = {{buffer}}}));  // nothing to tune
}

}  // namespace contextual::shortage_test
