#pragma once

/// \file
/// How and where the run of one rank ended.

#include "report/reading/logs.hpp"

#include <cstdint>
#include <string>

namespace contextual::log_report {

enum class RankState : std::uint8_t {
  ok,       ///< the run ended well
  failed,   ///< it ended with an error
  blocked,  ///< the watchdog found it blocked, and nothing came after that
  open,     ///< its log just ends: killed, exited, stopped, or still running
};

RankState state_of(const RankRun& run);

/// Returns e.g. "walk, iteration 17, gemm config-2", as far as the log says.
std::string position_of(const RankRun& run);

/// Returns true if the region itself threw, not the library.
bool region_threw(const RunEnd& end);

/// Returns e.g. "CommunicationError: deadline expired", or the text of the region's exception.
std::string error_text(const RunEnd& end);

}  // namespace contextual::log_report
