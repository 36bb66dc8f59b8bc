#pragma once

/// \file
/// A table as text that fits into a width.

#include "contextual/record/text_table.hpp"
#include "report/wording/table.hpp"

#include <cstddef>
#include <string>

namespace contextual::log_report {

/// Returns lines of at most `width` columns, each with `indent` spaces in front. No cell is cut: one that has
/// no room in its column has a line of its own below its row, after the column's title; one of the first
/// column has it above.
std::string table_text(const Table& table, std::size_t width, std::size_t indent);

}  // namespace contextual::log_report
