/// \file
/// Choices that outlive the process, on several ranks: all use them or all tune, with the messages that
/// docs/cache.md counts.

#include "support/repetitions.hpp"
#include "support/scripted_files.hpp"
#include "support/stderr_capture.hpp"
#include "unit/tuning/kept_process.hpp"

namespace contextual::test::kept_test::kept_choices_ranks_test {

namespace {

// Collectives of the tuner's first run of a region.
constexpr std::int64_t told = 1;    // what rank 0 has read, and what the machines are where these differ
constexpr std::int64_t agreed = 2;  // which sets all ranks can use: a header and a reduction
constexpr std::int64_t plain = 1;   // after the only run of the region
constexpr std::int64_t hello = 1;
constexpr std::int64_t launched = 2;  // after a tuning: a header and a gather

constexpr std::int64_t used = hello + told + agreed + plain;
// Beyond a tuning without a directory:
constexpr std::int64_t cold =
    4;  // before the first batch, and before each of three configs runs for the first time
constexpr std::int64_t on_another_machine = told + agreed + hello + told + cold;
// Simulated ranks share one registry of kernels, so that they look alike in the second hello.
constexpr std::int64_t with_another_kernel = told + agreed + hello + launched + cold;

}  // namespace

TEST_CASE("kept choices: all ranks use them or all tune, for the same number of messages each time") {
  ScriptedFiles files;
  files.leave_out_syncs();
  const StderrCapture said;  // of hundreds of damaged files
  for (const int ranks : {2, 4}) {
    const std::int64_t tuning = run({.ranks = ranks}).traffic.collectives;
    for (int repetition = 0; repetition < repetitions_of_threads(100); ++repetition) {
      const TemporaryDirectory directory;
      const TemporaryDirectory empty;
      const Process process{.ranks = ranks, .directory = directory.path()};
      const auto check = [&](const Process& changed, bool reads, std::int64_t collectives) {
        const Seen seen = run(changed);
        INFO(ranks << " ranks, repetition " << repetition << ": " << seen.runs[0] << " runs");
        CHECK((reads ? seen.used(2) : seen.tuned(2)));
        CHECK(seen.traffic.collectives == collectives);
      };
      check(process, false, tuning + cold);
      Process only_rank_0 = process;
      only_rank_0.directory_of = [&](int rank) { return rank == 0 ? directory.path() : fs::path(); };
      check(only_rank_0, true, used);
      Process only_rank_1 = process;
      only_rank_1.directory_of = [&](int rank) { return rank == 1 ? directory.path() : empty.path(); };
      check(only_rank_1, false, tuning + cold);
      Process other_machine = process;
      other_machine.machine = [](int rank) { return rank == 1 ? "slower" : "as ever"; };
      check(other_machine, false, tuning + on_another_machine);
      Process other_version = process;
      other_version.version = [](int rank) { return rank == 1 ? "2" : ""; };
      check(other_version, false, tuning + with_another_kernel);
      check(process, true, used);
      const fs::path file = only_file(directory.path());
      std::ofstream(file) << "{";
      check(process, false, tuning + cold);
      fs::remove(file);
      run(process);  // goes on with the journal of what could not be kept
      check(process, true, used);
    }
  }
}

}  // namespace contextual::test::kept_test::kept_choices_ranks_test
