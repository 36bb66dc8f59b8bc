#include "unit/tools/judging/analysed.hpp"

#include "report/judging/runs.hpp"

#include <stdexcept>

namespace report_test {

Analysed analysed(const std::vector<std::string>& files) {
  Analysed result{read(files), {}, {}};
  result.runs = contextual::log_report::join_runs(result.logs);
  if (result.runs.size() != 1) {
    throw std::logic_error("these logs are of " + std::to_string(result.runs.size()) + " tuning runs");
  }
  result.analysis = contextual::log_report::analyse(result.runs[0], result.logs);
  return result;
}

}  // namespace report_test
