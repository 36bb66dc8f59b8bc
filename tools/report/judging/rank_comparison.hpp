#pragma once

/// \file
/// The differences between ranks.

#include "report/judging/run_view.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

struct Disagreement {
  std::string what;  ///< "choice of gemm (4096)"
  std::string text;  ///< "rank 0: config-1 ...; rank 1: config-2 ..."
};

struct RankComparison {
  std::vector<Disagreement> disagreements;  ///< in what must be equal on all ranks
};

/// Compares choices, launched configs, agreed times, options, and the numbers of iterations of ranks that
/// ended well.
RankComparison compare_ranks(const RunView& view);

}  // namespace contextual::log_report
