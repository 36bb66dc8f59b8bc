#pragma once

/// \file
/// What the programs with a fault have in common before their ranks begin.

#include "command_line.hpp"

#include <functional>
#include <string>

namespace faults {

/// Reads the command line and runs one rank, in a child that is watched if the command line asks for it.
/// Returns the exit code: that of `run_rank`, or 2 after an exception, which is printed with the program's
/// `name`. Called before MPI is initialised.
int fault_main(const std::string& name, int argc, char** argv,
               const std::function<int(const CommandLine&)>& run_rank);

}  // namespace faults
