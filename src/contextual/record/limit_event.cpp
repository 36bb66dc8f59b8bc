#include "contextual/record/limit_event.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <optional>

namespace contextual::record {
namespace {

TimeSummary summary_of(const PartSamples& samples) {
  const policy::Summary summary = policy::summarize(samples.makespans_ns);
  return {summary.count, summary.centre_ns, summary.spread_ns};
}

std::optional<double> if_measured(const TimeSummary& time, double value) {
  return time.count > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

LimitReport limit_of(const PartSamples& result, const std::vector<PartSamples>& parts) {
  LimitReport report;
  report.result = summary_of(result);
  double sum_ns = 0;
  double longest_ns = 0;
  bool complete = !parts.empty();
  for (const PartSamples& part : parts) {
    const TimeSummary& makespan = report.parts.emplace_back(PartReport{part.name, summary_of(part)}).makespan;
    complete = complete && makespan.count > 0;
    sum_ns += makespan.centre_ns;
    longest_ns = std::max(longest_ns, makespan.centre_ns);
  }
  if (complete) {
    report.limit_ns = longest_ns;
  }
  if (complete && report.result.count > 0 && sum_ns > longest_ns) {
    report.hidden = (sum_ns - report.result.centre_ns) / (sum_ns - longest_ns);
  }
  return report;
}

Limit limit_event(const LimitReport& report, std::int64_t round_count) {
  Limit event;
  event.round_count = round_count;
  for (const PartReport& part : report.parts) {
    event.parts.push_back({part.name, if_measured(part.makespan, part.makespan.centre_ns),
                           if_measured(part.makespan, part.makespan.spread_ns)});
  }
  event.result_ns = if_measured(report.result, report.result.centre_ns);
  event.result_spread_ns = if_measured(report.result, report.result.spread_ns);
  event.limit_ns = report.limit_ns;
  event.hidden = report.hidden;
  return event;
}

}  // namespace contextual::record
