#include <contextual/detail/measure/spans.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <vector>

namespace contextual::measure {
namespace {

bool valid(const Span& span) {
  return span.end_ns > span.begin_ns;
}

std::int64_t length_ns(const Span& span) {
  return span.end_ns - span.begin_ns;
}

/// An overlap counts if it is more than one part in so many of the shorter busy time.
constexpr std::int64_t counts_from_part = 50;

using Spans = std::span<const Span>;

/// Removes the spans of one device from the front of merged spans.
Spans take_device(Spans& spans, int device) {
  const auto end =
      std::find_if(spans.begin(), spans.end(), [&](const Span& s) { return s.device != device; });
  const Spans taken = spans.first(static_cast<std::size_t>(end - spans.begin()));
  spans = spans.subspan(taken.size());
  return taken;
}

std::int64_t sum_ns(Spans merged_spans) {
  std::int64_t sum = 0;
  for (const Span& span : merged_spans) {
    sum += length_ns(span);
  }
  return sum;
}

/// How long spans of both are busy, on one device.
std::int64_t common_ns(Spans a, Spans b) {
  std::int64_t common = 0;
  while (!a.empty() && !b.empty()) {
    const std::int64_t begin_ns = std::max(a.front().begin_ns, b.front().begin_ns);
    const std::int64_t end_ns = std::min(a.front().end_ns, b.front().end_ns);
    common += std::max<std::int64_t>(end_ns - begin_ns, 0);
    Spans& ends_first = a.front().end_ns < b.front().end_ns ? a : b;
    ends_first = ends_first.subspan(1);
  }
  return common;
}

}  // namespace

std::int64_t busy_ns(std::span<const Span> spans) {
  if (spans.size() == 1) {
    return valid(spans[0]) ? length_ns(spans[0]) : 0;
  }
  const std::vector<Span> all = merged(spans);
  std::int64_t busiest = 0;
  for (Spans left = all; !left.empty();) {
    busiest = std::max(busiest, sum_ns(take_device(left, left.front().device)));
  }
  return busiest;
}

std::vector<Span> extents(std::span<const Span> spans) {
  std::vector<Span> extents;
  for (const Span& span : spans) {
    if (!valid(span)) {
      continue;
    }
    const auto known = std::find_if(extents.begin(), extents.end(),
                                    [&](const Span& extent) { return extent.device == span.device; });
    if (known == extents.end()) {
      extents.push_back(span);
    } else {
      known->begin_ns = std::min(known->begin_ns, span.begin_ns);
      known->end_ns = std::max(known->end_ns, span.end_ns);
    }
  }
  return extents;
}

std::vector<Span> merged(std::span<const Span> spans) {
  std::vector<Span> sorted;
  std::copy_if(spans.begin(), spans.end(), std::back_inserter(sorted), valid);
  std::sort(sorted.begin(), sorted.end(), [](const Span& a, const Span& b) {
    return std::tie(a.device, a.begin_ns) < std::tie(b.device, b.begin_ns);
  });
  std::vector<Span> disjoint;
  for (const Span& span : sorted) {
    if (!disjoint.empty() && disjoint.back().device == span.device &&
        span.begin_ns <= disjoint.back().end_ns) {
      disjoint.back().end_ns = std::max(disjoint.back().end_ns, span.end_ns);
    } else {
      disjoint.push_back(span);
    }
  }
  return disjoint;
}

bool overlap(std::span<const Span> a, std::span<const Span> b) {
  while (!a.empty() && !b.empty()) {
    const int device = std::min(a.front().device, b.front().device);
    const Spans of_a = take_device(a, device);
    const Spans of_b = take_device(b, device);
    const std::int64_t shorter_ns = std::min(sum_ns(of_a), sum_ns(of_b));
    if (common_ns(of_a, of_b) * counts_from_part > shorter_ns) {
      return true;
    }
  }
  return false;
}

}  // namespace contextual::measure
