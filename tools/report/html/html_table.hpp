#pragma once

/// \file
/// A table of a page.

#include "report/wording/table.hpp"

#include <string>

namespace contextual::log_report {

/// Returns the table as markup, which a reader can scroll where it is too wide.
std::string table_markup(const Table& table);

}  // namespace contextual::log_report
