#include "report/judging/culprit.hpp"

#include "report/judging/culprit_rules.hpp"

namespace contextual::log_report {

Verdict verdict_of(const RunOfAllRanks& run, const Logs& logs) {
  const Evidence evidence(run, logs);
  for (const auto rule :
       {by_tuning_failure, by_region_failure, by_own_error, by_lonely_throw, by_lonely_meeting,
        by_missing_end, by_throw, by_own_absence, by_block, by_blame, by_odd_error}) {
    if (auto verdict = rule(evidence)) {
      return *verdict;
    }
  }
  return {{}, "the logs do not say"};
}

}  // namespace contextual::log_report
