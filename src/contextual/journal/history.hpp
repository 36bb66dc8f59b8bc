#pragma once

/// \file
/// What a journal says of the processes that have written it, line by line. Pure.

#include "contextual/journal/batch_record.hpp"
#include "contextual/journal/quarantine.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace contextual::journal {

// Lines of JSON, without a line end, besides those of headings and batches.

/// A process begins, see Quarantine::begin.
std::string begin_line(const std::string& kernels);
/// What may end the process from now on. The record of a batch says that all of it has come back.
std::string runs_line(const std::vector<std::string>& assignments);
/// What was running has come back, where no record of a batch says so.
std::string back_line();
/// The run has ended otherwise than by what was running.
std::string called_off_line();
/// What is in quarantine, where a run has ended well and nothing else is kept.
std::string quarantine_line(const std::vector<std::string>& assignments);

/// Takes in the lines of a journal in their order.
struct History {
  /// Leaves out what no function of this room has returned.
  void take_in(std::string_view line);

  std::string heading{};               ///< of `batches`
  std::vector<BatchRecord> batches{};  ///< each with its place as number, counted from 1
  Quarantine quarantine{};
};

}  // namespace contextual::journal
