#pragma once

/// \file
/// Logs of tuning runs that never took place, made with the library's own writer.

#include "contextual/record/events.hpp"
#include "report/reading/logs.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace report_test {

using Events = std::vector<contextual::record::Event>;

struct SampleRun {
  int ranks = 2;
  std::string region = "ag_gemm";
  std::string id = "a1";  ///< part of the run_ids; the tuning_id
  std::string time = "2026-01-31T12:00:00Z";
};

/// What `rank` writes: two kernels, gemm with three configs and norm with two, one warm-up and two repeats
/// each, a search, the final run. The last rank is always the slowest; config-1 is chosen for gemm, config-0
/// for norm. Timelines of iteration 10, the choice, and 12, the defaults, end the run.
Events events_of(const SampleRun& run, int rank);

/// The search of such a run. Of six assignments of gemm and norm, three were measured and one is infeasible;
/// that with the configs by own time ties with the choice.
contextual::record::SearchResult sample_search();

/// The events before the first launch of `iteration`: a rank that got no further.
Events until(const Events& events, std::int64_t iteration);

/// The events but for the timelines: an older log.
Events without_timelines(const Events& events);

/// The run_start alone: a rank that never met the others.
Events start_only(const SampleRun& run, int rank);

contextual::record::Event failed(const SampleRun& run, int rank, std::string type, std::string error,
                                 std::vector<int> blamed, std::int64_t iteration);

contextual::record::Event blocked(const SampleRun& run, int rank, std::int64_t iteration);

/// What `rank` writes when every config of gemm fails there in `iteration`: the rejections, and an end that
/// blames this rank itself.
Events tuning_failed(const SampleRun& run, int rank, std::int64_t iteration);

/// Calls `change` with every event of this type.
template <typename E, typename Change>
Events changed(Events events, const Change& change) {
  for (contextual::record::Event& event : events) {
    if (auto* const body = std::get_if<E>(&event.body)) {
      change(*body);
    }
  }
  return events;
}

/// Events as a file's text.
std::string lines_of(const Events& events);

/// One text a rank, as files.
std::vector<std::string> files_of(const SampleRun& run);

/// Reads texts as rank-0.jsonl, rank-1.jsonl, ...
contextual::log_report::Logs read(const std::vector<std::string>& files);

}  // namespace report_test
