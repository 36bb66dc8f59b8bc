#pragma once

/// \file
/// What the fault program is asked to do.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace faults {

/// What goes wrong, on which rank, and where.
struct Fault {
  std::string kind = "none";
  std::string point;  ///< for kinds that happen at a point; see injector.hpp
  int rank = 0;
  std::string iteration = "0";  ///< a tuning iteration, or "search" (the first one there), or "final"
};

struct CommandLine {
  Fault fault;
  std::vector<std::string> iterations{"0"};  ///< taken in turn, one a repetition
  bool vary_rank = false;                    ///< the next rank in every repetition
  int repeat = 1;
  int first = 0;  ///< number of the first repetition
  std::chrono::milliseconds deadline{1000};
  std::chrono::milliseconds grace{500};
  std::chrono::milliseconds roll_call{200};
  std::chrono::milliseconds wait_budget{300};  ///< of calls that wait on the device for other ranks
  std::chrono::milliseconds hold{900};         ///< how long the kernel of kind `hold` occupies its stream
  bool ring = false;         ///< the region's own communication: a ring instead of a reduction
  bool healthy = true;       ///< a run without fault before each repetition and after the last
  bool fresh_tuner = false;  ///< one for every repetition
  bool on_deadline = false;  ///< the watchdog calls back instead of leaving with its own code
  bool supervise = false;    ///< write the exit status of the program, run as a child, to a file
  std::filesystem::path log_directory;
  std::filesystem::path result_directory = ".";
};

/// Throws std::invalid_argument that names the option.
CommandLine parse(const std::vector<std::string>& arguments);

/// The fault of one repetition.
Fault fault_of(const CommandLine& command_line, int repetition, int ranks);

}  // namespace faults
