#include "report/reading/logs.hpp"

#include <algorithm>

namespace contextual::log_report {

std::size_t Logs::damaged_count() const {
  std::size_t count = 0;
  for (const LogFile& file : files) {
    count += file.damaged_count;
  }
  return count;
}

bool Logs::any_readable() const {
  return std::any_of(files.begin(), files.end(), [](const LogFile& file) { return file.problem.empty(); });
}

}  // namespace contextual::log_report
