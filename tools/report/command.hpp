#pragma once

/// \file
/// What the program does once its arguments are known.

#include "report/judging/report_options.hpp"

#include <filesystem>
#include <iosfwd>

namespace contextual::log_report {

struct Command {
  std::filesystem::path directory;
  std::filesystem::path html;  ///< empty: no page
  ReportOptions options;
};

enum ExitCode {
  exit_fine = 0,
  exit_bad_run = 1,   ///< some run ended badly or did not end, or its ranks disagree
  exit_no_input = 2,  ///< nothing could be read, or the page could not be written, or wrong arguments
};

/// Reads, writes text to `out` and the page to its file; says on `err` what did not work. Throws nothing but
/// std::bad_alloc.
int run_command(const Command& command, std::ostream& out, std::ostream& err);

}  // namespace contextual::log_report
