#include "search/recording.hpp"

#include "support/catch.hpp"

#include <contextual/error.hpp>

#include <filesystem>
#include <fstream>

namespace recording_test {

using search_replay::Assignment;
using search_replay::Recording;

namespace {

const std::filesystem::path regions = CONTEXTUAL_RECORDED_REGIONS;

/// What the reference, a program of its own in another language, prints of a file.
struct Reference {
  const char* file;
  Assignment best;
  double best_us;
  double resolution_percent;
  int within_1_percent;
  double other_us;  ///< the truth of (3, 8)
};

}  // namespace

TEST_CASE("a recording's truth, best pair and resolution are those of the reference") {
  const Reference references[] = {
      {"gemm_14336.csv", {6, 14}, 695.0, 0.08, 4, 1013.8825532736754},
      {"gemm_28672.csv", {6, 20}, 2835.7, 8.14, 3, 3821.7823268149277},
      {"gemm_5120_own_rows_first.csv", {5, 3}, 88.3, 0.14, 5, 225.1},
  };
  for (const Reference& reference : references) {
    INFO(reference.file);
    const Recording recording = Recording::read(regions / reference.file);
    CHECK(recording.best() == reference.best);
    CHECK(recording.best_ns() / 1e3 == Approx(reference.best_us).margin(0.05));
    CHECK(100 * recording.resolution() == Approx(reference.resolution_percent).margin(0.005));
    CHECK(recording.infeasible_count() == 88);
    CHECK(recording.truth_ns({3, 8}).value() / 1e3 == Approx(reference.other_us).epsilon(1e-9));
    int within = 0;
    for (std::size_t gather = 0; gather < 8; ++gather) {
      for (std::size_t gemm = 0; gemm < 28; ++gemm) {
        const auto truth = recording.truth_ns({gather, gemm});
        within += truth && *truth <= 1.01 * recording.best_ns() ? 1 : 0;
      }
    }
    CHECK(within == reference.within_1_percent);
  }
}

TEST_CASE("a recording has the configs' parameters") {
  const Recording recording = Recording::read(regions / "gemm_14336.csv");
  REQUIRE(recording.problems().size() == 2);
  CHECK(recording.problems()[0].kernel == "all_gather");
  CHECK(recording.problems()[0].configs.at(7) == contextual::Config{{"METHOD", "copy"}, {"CHUNKS", 8}});
  CHECK(recording.problems()[1].configs.size() == 28);
}

TEST_CASE("a recording that cannot be read is named with its line") {
  const auto folder = std::filesystem::temp_directory_path() / "contextual_recording_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "configs.csv") << "kernel;config;parameters\na;0;{}\n";
  const auto reading = [&](const std::string& lines) {
    std::ofstream(folder / "region.csv") << "pass;visit;a;status;first_us;makespan_us;a_us\n" << lines;
    return [&] { return Recording::read(folder / "region.csv"); };
  };
  CHECK_THROWS_WITH(reading("0;0;0;ok;1;1,2;1\n")(), ContainsSubstring("region.csv:2: as many times"));
  CHECK_THROWS_WITH(reading("0;0;0;ok;1;1,x;1\n")(), ContainsSubstring("region.csv:2: no time: x"));
  CHECK_THROWS_WITH(reading("0;0;0;ok;1\n")(), ContainsSubstring("region.csv:2: 7 fields"));
  CHECK_THROWS_WITH(reading("0;0;3;ok;1;1;1\n")(), ContainsSubstring("a has no config 3"));
  CHECK_THROWS_WITH(reading("0;0;0;ok;1;1;1\n")(), ContainsSubstring("needs two passes"));
  CHECK_THROWS_AS(Recording::read(folder / "missing.csv"), contextual::InvalidArgument);
  std::filesystem::remove_all(folder);
}

}  // namespace recording_test
