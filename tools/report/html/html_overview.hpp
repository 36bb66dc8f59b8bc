#pragma once

/// \file
/// The top of the page: the log files, and one line for each tuning run.

#include "report/judging/report.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

/// What was read, and what of it was damaged.
std::string files_markup(const Report& report);

/// A table of all runs; very many older ones are left out. Runs in `detailed` are linked, because the page
/// has a section for them. A selected run that is not in it is marked as left out.
std::string overview_markup(const Report& report, const std::vector<const RunSummary*>& detailed);

}  // namespace contextual::log_report
