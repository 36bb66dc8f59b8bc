#pragma once

/// \file
/// What the program does once it knows its arguments.

#include "report/judging/report.hpp"

#include <filesystem>
#include <iosfwd>

namespace contextual::log_report {

struct Command {
  std::filesystem::path directory;
  std::filesystem::path html;   ///< the page's file; empty for no page
  std::filesystem::path trace;  ///< the trace's file; empty for no trace
  ReportOptions options;
};

enum ExitCode {
  exit_fine = 0,
  exit_bad_run = 1,   ///< some run ended badly or did not end
  exit_no_input = 2,  ///< nothing could be read, or a file could not be written, or wrong arguments
};

/// Reads the logs, writes the text to `out` and the page and the trace to their files, and reports on `err`
/// what did not work. Throws only std::bad_alloc.
int run_command(const Command& command, std::ostream& out, std::ostream& err);

}  // namespace contextual::log_report
