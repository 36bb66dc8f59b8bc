#pragma once

/// \file
/// Log directories, whatever they contain, and everything that was read from one: the library's events
/// (docs/log-format.md) of each file and `run`, and what was damaged. Names and messages are printable and
/// are views into a TextPool; times are in nanoseconds.

#include "contextual/record/schema/event.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <istream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace contextual::log_report {

using record::ChoiceStatus;
using record::enum_text;
using record::LaunchRole;
using record::LaunchStatus;
using record::RunStage;
using record::Standing;
using record::TimelineSide;

/// A tuning problem's name. A TextPool owns one object for each kernel and key, so addresses can be compared.
struct ProblemName {
  std::string_view kernel;
  std::string_view key;
};

/// Returns e.g. "gemm (4096, 4096)".
inline std::string name_of(const ProblemName& problem) {
  return std::string(problem.kernel) + (problem.key.empty() ? "" : " " + std::string(problem.key));
}

/// A config, for people.
struct ConfigText {
  std::string_view all{};     ///< "{BLOCK_N: 128, STAGES: 3}"
  std::string_view names{};   ///< "BLOCK_N, STAGES"
  std::string_view values{};  ///< "128, 3"

  bool operator==(const ConfigText&) const = default;
};

/// The storage of events that point into a TextPool.
struct Pooled {
  using Text = std::string_view;
  using Problem = const ProblemName*;  ///< null if the event has none
  using Config = ConfigText;
};

/// A config of a problem, as a line names it.
using ConfigName = record::schema::ConfigUse<Pooled>;

using RunStart = record::schema::RunStart<Pooled>;
using Hello = record::schema::Hello<Pooled>;
using Launch = record::schema::Launch<Pooled>;
using ConfigSummary = record::schema::ConfigSummary<Pooled>;
using Rejected = record::schema::Rejected<Pooled>;
using Choice = record::schema::Choice<Pooled>;
using SearchedProblem = record::schema::SearchedProblem<Pooled>;
using MeasuredAssignment = record::schema::MeasuredAssignment<Pooled>;
using InfeasibleAssignment = record::schema::InfeasibleAssignment<Pooled>;
using LostAssignment = record::schema::LostAssignment<Pooled>;
using SearchResult = record::schema::SearchResult<Pooled>;
using TimelineLaunch = record::schema::TimelineLaunch<Pooled>;
using TimelineSpan = record::schema::TimelineSpan;
using Timeline = record::schema::Timeline<Pooled>;
using PartTime = record::schema::PartTime<Pooled>;
using Limit = record::schema::Limit<Pooled>;
using Warning = record::schema::Warning<Pooled>;
using Progress = record::schema::Progress<Pooled>;
using Blocked = record::schema::Blocked<Pooled>;
using RunEnd = record::schema::RunEnd<Pooled>;

/// One line of a log.
using Event = record::schema::Event<Pooled>;

/// Owns the names and messages of logs, each text once. Returned views and pointers are valid as long as the
/// pool. Not thread-safe.
class TextPool {
 public:
  TextPool() = default;
  TextPool(TextPool&&) = default;  // views stay valid: only nodes change their owner
  TextPool& operator=(TextPool&&) = default;

  std::string_view text(std::string value) {
    return *texts_.insert(std::move(value)).first;  // nodes do not move
  }

  const ProblemName* problem(std::string_view kernel, std::string_view key) {
    return &problems_.try_emplace({kernel, key}, ProblemName{kernel, key}).first->second;
  }

  const ConfigName* config(const ConfigName& name) {
    return &configs_.try_emplace({name.problem, name.id, name.values.all.data()}, name).first->second;
  }

 private:
  std::unordered_set<std::string> texts_;
  std::map<std::pair<std::string_view, std::string_view>, ProblemName> problems_;
  std::map<std::tuple<const ProblemName*, std::int64_t, const char*>, ConfigName> configs_;
};

/// A line cannot be used. what() is the reason, printable and short.
class DamagedLine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws DamagedLine if the line is not JSON, lacks a needed field, or has a known field with another type
/// or out of range. A null counts as absent. Returns nothing for an event that this program does not know.
std::optional<Event> decode_line(std::string_view line, TextPool& pool);

/// What is kept of a launch, of which a log has very many: 64 bytes.
struct RankLaunch {
  /// A time that may not be known, in the space of a number.
  class Time {
   public:
    Time(std::optional<std::int64_t> ns) : ns_(ns.value_or(-1)) {}  // NOLINT(google-explicit-constructor)
    explicit operator bool() const { return ns_ >= 0; }
    std::int64_t operator*() const { return ns_; }
    friend bool operator==(Time, Time) = default;

   private:
    std::int64_t ns_;
  };

  RankLaunch(const Launch& launch, std::int64_t of_rank, TextPool& pool)
      : config(pool.config(launch.config)),
        tuning_iteration(launch.tuning_iteration),
        step_iteration(launch.step_iteration.value_or(0)),
        local_ns(launch.local_ns),
        agreed_ns(launch.agreed_ns),
        makespan_ns(launch.makespan_ns),
        local_makespan_ns(launch.local_makespan_ns),
        rank(static_cast<std::int32_t>(of_rank)),  // at most record::max_id
        phase(launch.phase),
        role(launch.role),
        status(launch.status) {}

  const ConfigName* config;  ///< with a problem
  std::int64_t tuning_iteration;
  std::int64_t step_iteration;  ///< 0 where the config was fixed, and in a line that does not say
  Time local_ns;
  Time agreed_ns;
  Time makespan_ns;
  Time local_makespan_ns;
  std::int32_t rank;
  Phase phase;
  LaunchRole role;
  LaunchStatus status;

  const ProblemName* problem() const { return config->problem; }
  /// Returns true for a launch that only prepares the ones after it, so that its times say nothing.
  bool is_warmup() const { return role == LaunchRole::warmup || role == LaunchRole::lead_in; }
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
  std::string first_damage;  ///< its line and the reason
};

/// One `run` on one rank. Events are in the order in which they were written.
struct RankRun {
  std::size_t file = 0;  ///< index in Logs::files
  std::string_view run_id;
  std::int64_t rank = 0;  ///< in the group that tunes together
  std::string_view region;
  std::optional<RunStart> start{};
  std::optional<Hello> hello{};
  std::deque<RankLaunch> launches{};  // a deque: no copy while it grows
  std::vector<ConfigSummary> summaries{};
  std::vector<Rejected> rejected{};
  std::vector<Choice> choices{};
  std::vector<SearchResult> searches{};
  std::vector<Timeline> timelines{};  ///< at most one of each side, unless the log is damaged
  std::optional<Limit> limit{};
  std::vector<std::string_view> warnings{};
  std::optional<Progress> progress{};  ///< the last one
  std::optional<Blocked> blocked{};    ///< the last one; empty: it went on, with a warning or to its end
  std::optional<RunEnd> end{};
  std::size_t first_line = 0;
  std::size_t last_line = 0;
};

struct Logs {
  TextPool pool;  ///< owns all texts below
  std::vector<LogFile> files;
  std::deque<RankRun> runs;

  bool any_readable() const {
    return std::any_of(files.begin(), files.end(), [](const LogFile& file) { return file.problem.empty(); });
  }
};

/// Reads all `rank-N.jsonl` of a directory, in the order of N. If a file cannot be read, LogFile::problem
/// says why. Throws std::runtime_error if `directory` is not a directory or cannot be listed. Memory is
/// proportional to the sizes of the files. A line of more than 4 MiB is skipped as damaged and never held in
/// memory.
Logs read_directory(const std::filesystem::path& directory);

/// Adds the events of a file to `logs`. Reads at most `size` bytes, so that it ends even if the file grows
/// meanwhile.
void read_log(std::istream& stream, std::uint64_t size, LogFile file, Logs& logs);

}  // namespace contextual::log_report
