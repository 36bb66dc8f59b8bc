/// \file
/// Reads, joins and reports logs that were damaged in every way that is cheap to think of. Nothing may throw,
/// hang, or grow without bound; under the sanitizers nothing may read out of bounds.

#include "contextual/record/log_lines.hpp"
#include "report/command.hpp"
#include "report/html/html_report.hpp"
#include "report/judging/report.hpp"
#include "report/text/text_report.hpp"
#include "report/trace/trace.hpp"
#include "support/engine.hpp"
#include "support/repetitions.hpp"
#include "unit/record/sample_events.hpp"
#include "unit/tools/mutations.hpp"
#include "unit/tools/sample_logs.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace mutation_test {

using namespace contextual::log_report;
using namespace report_test;

namespace {

std::string sample_events() {
  std::string text;
  for (const auto& event : contextual::record::samples::all()) {
    text += contextual::record::to_json_line(event) + "\n";
  }
  return text;
}

/// What is damaged: one of each event, and two ranks' logs of a run.
std::vector<Files> originals() {
  return {{sample_events()}, files_of({}), {sample_events(), files_of({})[1]}};
}

std::size_t size_of(const Files& files) {
  std::size_t size = 0;
  for (const std::string& file : files) {
    size += file.size();
  }
  return size;
}

/// A mark, an event or a cell is a few hundred bytes of markup; the rest is the page itself.
constexpr std::size_t bytes_for_nothing = 64 * 1024;
constexpr std::size_t bytes_per_byte = 16;

}  // namespace

TEST_CASE("report: 10,000 mutated logs, always a report of bounded size", "[unit]") {
  const std::vector<Files> all = originals();
  Mutator mutator(20260131);
  ReportOptions options;
  std::size_t damaged = 0;
  std::size_t bad = 0;
  for (int round = 0; round < contextual::test::repetitions(10'000); ++round) {
    Files files = all[static_cast<std::size_t>(round) % all.size()];
    mutator.mutate(files);
    options.all = round % 2 == 0;
    options.whole_table = round % 3 == 0;
    options.width = round % 5 == 0 ? 60 : 100;
    INFO("round " << round);
    Report report = make_report("logs", read(files), options);
    const std::string text = text_report(report, options);
    const std::string page = html_report(report, options);
    std::size_t traced = 0;
    for (const RunOfAllRanks& run : report.joined) {
      traced += trace_text(run, aligned_timelines(run)).size();
    }
    damaged += std::any_of(report.logs.files.begin(), report.logs.files.end(),
                           [](const LogFile& file) { return file.damaged_count > 0; })
                   ? 1
                   : 0;
    bad += report.any_bad() ? 1 : 0;
    if (text.empty() || page.empty() || text.size() > bytes_for_nothing + bytes_per_byte * size_of(files) ||
        page.size() > bytes_for_nothing + bytes_per_byte * size_of(files) ||
        traced > bytes_for_nothing + bytes_per_byte * size_of(files)) {
      FAIL("text of " << text.size() << " bytes, page of " << page.size() << ", traces of " << traced
                      << " for logs of " << size_of(files));
    }
  }
  // The mutations must reach further than the first check.
  CHECK(damaged > static_cast<std::size_t>(contextual::test::repetitions(10'000)) / 4);
  CHECK(damaged < static_cast<std::size_t>(contextual::test::repetitions(10'000)));
  CHECK(bad > static_cast<std::size_t>(contextual::test::repetitions(10'000)) / 4);
}

TEST_CASE("report: mutated log directories, always one of the documented exit codes", "[unit]") {
  const engine_test::TemporaryDirectory directory;
  const std::vector<Files> all = originals();
  Mutator mutator(7);
  for (int round = 0; round < contextual::test::repetitions(10'000) / 50; ++round) {
    Files files = all[static_cast<std::size_t>(round) % all.size()];
    mutator.mutate(files);
    for (std::size_t i = 0; i < files.size(); ++i) {
      std::ofstream(directory.path() / ("rank-" + std::to_string(i) + ".jsonl"), std::ios::binary)
          << files[i];
    }
    Command command;
    command.directory = directory.path();
    command.html = directory.path() / "page.html";
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_command(command, out, err);
    INFO("round " << round << ": " << err.str());
    CHECK((code == exit_fine || code == exit_bad_run));
    CHECK(std::filesystem::file_size(command.html) > 0);
  }
}

}  // namespace mutation_test
