#pragma once

/// \file
/// The top of the page: the log files, and one line for each tuning run.

#include "report/judging/report.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// Lists the files that were read, and what was damaged in them.
std::string files_markup(const Report& report);

/// Returns a table of the runs; if there are very many, older ones are left out. Runs in `detailed` are
/// linked, because the page has a section for them. A selected run that is not in `detailed` is marked as
/// left out.
std::string overview_markup(const Report& report, const std::vector<const RunSummary*>& detailed);

}  // namespace contextual::log_report
