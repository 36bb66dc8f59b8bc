#pragma once

/// \file
/// Everything that was read from a log directory: the events of each file and `run`, and what was damaged.

#include "report/reading/events.hpp"
#include "report/reading/text_pool.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

struct DamagedAt {
  std::size_t line = 0;  ///< from 1
  std::string reason;
};

/// One `rank-N.jsonl`.
struct LogFile {
  std::string name;                       ///< without the directory, printable
  std::int64_t process = 0;               ///< N
  std::string problem;                    ///< why it could not be read; empty if it could
  std::optional<std::int64_t> written_s;  ///< last modified, seconds since 1970 in UTC
  std::size_t line_count = 0;
  std::size_t last_event_line = 0;  ///< of any run
  std::size_t damaged_count = 0;
  std::vector<DamagedAt> damaged;  ///< the first ones
  std::size_t unknown_events = 0;
  std::size_t unknown_fields = 0;
};

/// One `run` on one rank. Events are in the order in which they were written.
struct RankRun {
  std::size_t file = 0;  ///< index in Logs::files
  std::string_view run_id;
  std::int64_t rank = 0;  ///< in the group that tunes together
  std::string_view region;
  std::optional<RunStart> start;
  std::optional<Hello> hello;
  std::vector<DeviceConditions> conditions;
  std::vector<Launch> launches;
  std::vector<ConfigSummary> summaries;
  std::vector<Rejected> rejected;
  std::vector<Choice> choices;
  std::vector<SearchResult> searches;
  std::vector<Timeline> timelines;  ///< at most one of each side, unless the log is damaged
  std::optional<Limit> limit;
  std::vector<std::string_view> warnings;
  std::optional<Progress> progress;  ///< the last one
  std::optional<Blocked> blocked;    ///< the last one; empty: it went on, with a warning or to its end
  std::optional<RunEnd> end;
  std::size_t first_line = 0;
  std::size_t last_line = 0;
};

struct Logs {
  TextPool pool;  ///< owns all texts below
  std::vector<LogFile> files;
  std::deque<RankRun> runs;

  std::size_t damaged_count() const;
  bool any_readable() const;
};

}  // namespace contextual::log_report
