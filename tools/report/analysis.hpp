#pragma once

/// \file
/// What a report says of one tuning run, as data; text and page are two renderings of it.

#include "ending.hpp"
#include "run_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

/// One config of one problem in the walk.
struct ConfigResult {
  std::int64_t id = 0;
  std::string_view text;           ///< empty: never named in the log
  std::vector<double> samples_ns;  ///< agreed times of its repeats
  double median_ns = 0;            ///< valid with samples
  double spread_ns = 0;
  double makespan_ns = 0;            ///< median of the region's time in these iterations; 0: unknown
  std::optional<double> summary_ns;  ///< what the tuner used, from config_summary
  std::string_view rejection;        ///< why it is out; empty: it is not, or nobody said why
  bool rejected = false;
  bool chosen = false;
};

/// Config ids that nothing was written of.
using UnmeasuredConfigs = Range;

struct ProblemResult {
  const ProblemName* name = nullptr;
  std::vector<ConfigResult> configs;            ///< by id, those the log has something of
  std::vector<UnmeasuredConfigs> not_measured;  ///< ids between them
  std::vector<const Choice*> choices;           ///< of one rank, as they were made; the last one holds
  bool local = false;                           ///< each rank has times of its own: see Disagreements

  const ConfigResult* find(std::int64_t id) const;
};

/// How one rank's own times compare with the agreed ones.
struct RankShare {
  std::int64_t rank = 0;
  double slowest_share = 0;  ///< of the iterations in which this rank's time was the longest
  double median_ratio = 0;   ///< own time over the agreed one
};

/// Of the region, or of one problem.
struct Slowness {
  const ProblemName* problem = nullptr;  ///< null: the region's makespan
  std::size_t iterations = 0;            ///< compared, warm-ups left out
  std::vector<RankShare> ranks;          ///< most often slowest first
};

struct Disagreement {
  std::string what;  ///< "choice of gemm (4096)"
  std::string text;  ///< "rank 0: config-1 ...; rank 1: config-2 ..."
};

struct RunAnalysis {
  const TuningRun* run = nullptr;
  Ending ending;
  RunView view;
  std::vector<ProblemResult> problems;
  std::vector<const Contest*> contests;       ///< of one rank
  std::vector<Slowness> slowness;             ///< empty for one rank
  std::vector<Disagreement> disagreements;    ///< between ranks that must be alike
  std::vector<std::string> rank_differences;  ///< of problems that each rank seems to tune for itself
  std::vector<std::string> warnings;          ///< "rank 0: ..."; alike ones once
};

/// `run` and `logs` must live longer.
RunAnalysis analyse(const TuningRun& run, const Logs& logs);

std::vector<ProblemResult> problems_of(const RunView& view);
std::vector<Slowness> slowness_of(const RunView& view);
/// Fills in what differs between ranks; `problems` say which are local.
void compare_ranks(const RunView& view, const std::vector<ProblemResult>& problems, RunAnalysis& analysis);

/// "gemm (4096, 4096)".
std::string name_of(const ProblemName& problem);

}  // namespace contextual::log_report
