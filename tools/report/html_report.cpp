#include "report.hpp"

namespace contextual::log_report {

std::string html_report(const Report&, const ReportOptions&) {
  return {};
}

}  // namespace contextual::log_report
