#pragma once

/// \file
/// Why a rank is the culprit, in words.

#include "report/judging/culprit.hpp"
#include "report/judging/evidence.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

Ranks rank_numbers(const std::vector<const RankRun*>& runs);

/// " (walk, iteration 5)": where `run` stopped, empty where the log does not say.
std::string stopped_at(const RankRun& run);

/// Returns what the first of `ranks` says of itself; where it wrote nothing, why there is nothing.
std::string own_words(const Evidence& evidence, const Ranks& ranks);

/// Returns a verdict on `ranks` in their own words, with `addition` behind them.
Verdict verdict_on(const Evidence& evidence, Ranks ranks, const std::string& addition = {});

}  // namespace contextual::log_report
