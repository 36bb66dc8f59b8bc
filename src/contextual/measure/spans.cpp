#include <contextual/detail/measure/spans.hpp>

#include <algorithm>
#include <tuple>
#include <vector>

namespace contextual::measure {
namespace {

bool valid(const Span& span) {
  return span.end_ns > span.begin_ns;
}

}  // namespace

std::int64_t busy_ns(std::span<const Span> spans) {
  if (spans.size() == 1) {
    return valid(spans[0]) ? spans[0].end_ns - spans[0].begin_ns : 0;
  }
  std::vector<Span> sorted;
  std::copy_if(spans.begin(), spans.end(), std::back_inserter(sorted), valid);
  std::sort(sorted.begin(), sorted.end(), [](const Span& a, const Span& b) {
    return std::tie(a.device, a.begin_ns) < std::tie(b.device, b.begin_ns);
  });

  std::int64_t busiest = 0;
  for (auto span = sorted.begin(); span != sorted.end();) {
    const int device = span->device;
    std::int64_t busy = 0;
    std::int64_t covered_to = span->begin_ns;
    for (; span != sorted.end() && span->device == device; ++span) {
      if (span->end_ns > covered_to) {
        busy += span->end_ns - std::max(span->begin_ns, covered_to);
        covered_to = span->end_ns;
      }
    }
    busiest = std::max(busiest, busy);
  }
  return busiest;
}

}  // namespace contextual::measure
