#pragma once

/// \file
/// The main program of an example whose ranks use a GPU each.

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace examples {

/// Joins the other ranks, reads the command line, makes one of the devices current, another one for each rank
/// while there are enough, and calls `run`. Returns the exit code; without a GPU it says so and returns 0.
///
/// What `run` throws is printed with the program's `name`, and ends all ranks. What it has made must live
/// until then, because other ranks may still write to its memory: `run` keeps it outside of itself.
int run_on_gpus(const std::string& name, CLI::App& app, int argc, char** argv,
                const std::function<void()>& run);

}  // namespace examples
