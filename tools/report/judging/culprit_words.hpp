#pragma once

/// \file
/// Texts that say why a rank is the culprit.

#include "report/judging/culprit.hpp"
#include "report/judging/evidence.hpp"

#include <string>
#include <vector>

namespace contextual::log_report {

Ranks rank_numbers(const std::vector<const RankRun*>& runs);

/// Returns where `run` stopped, e.g. " (walk, iteration 5)", or an empty text if the log does not say.
std::string stopped_at(const RankRun& run);

/// Returns what the first of `ranks` says about itself or, if it wrote nothing, why.
std::string own_words(const Evidence& evidence, const Ranks& ranks);

/// Returns a verdict on `ranks` in their own words, followed by `addition`.
Verdict verdict_on(const Evidence& evidence, Ranks ranks, const std::string& addition = {});

}  // namespace contextual::log_report
