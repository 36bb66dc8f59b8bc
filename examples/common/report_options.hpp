#pragma once

/// \file
/// The command line's `--why` and `--whole-table`.

#include "common/printing.hpp"

#include <CLI/CLI.hpp>

namespace examples {

/// Adds `--why` and `--whole-table`, which set `detail`.
inline void add_report_options(CLI::App& app, PrintedDetail& detail) {
  app.add_flag("--why", detail.why, "print the walk, and why each config was chosen");
  app.add_flag("--whole-table", detail.whole_table, "print every tuning iteration");
}

}  // namespace examples
