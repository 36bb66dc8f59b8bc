/// \file
/// contextual-report: reads the logs of tuning runs, of one rank or many, and says what happened.

#include "report/command.hpp"

#include <CLI/CLI.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>

namespace {

/// As wide as the terminal, if there is one.
std::size_t usual_width() {
  using namespace contextual::log_report;
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::clamp<std::size_t>(size.ws_col, narrowest_text, widest_text) : ReportOptions().width;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace contextual::log_report;
  Command command;
  command.directory = ".autotune_logs";
  ReportOptions& options = command.options;
  CLI::App app{
      "Reads the logs of tuning runs (rank-N.jsonl) and says what happened.\n"
      "Exit codes: 0 all is well, 1 a run ended badly, 2 nothing to read or a wrong "
      "argument.",
      "contextual-report"};
  app.add_option("DIR", command.directory, "log directory")->capture_default_str();
  app.add_flag("--all", options.all,
               "details of all runs, not only of the newest one of each region that measured");
  app.add_option("--region", options.region, "only this region");
  app.add_option("--tuning", options.tuning,
                 "only this run: its number in the overview, or (part of) its id");
  app.add_flag("--whole-table", options.whole_table,
               "every row of the iteration table, every config and assignment");
  options.width = usual_width();
  app.add_option("--width", options.width, "columns of the text; else the terminal's, or 100")
      ->check(CLI::Range(narrowest_text, widest_text));
  app.add_option("--html", command.html, "also write a page with plots to this file");
  app.add_option("--trace", command.trace,
                 "also write one iteration of the chosen set and of the defaults to this file, all ranks "
                 "side by side, for ui.perfetto.dev");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_fine : exit_no_input;
  }
  try {
    return run_command(command, std::cout, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "contextual-report: " << error.what() << "\n";
    return exit_no_input;
  }
}
