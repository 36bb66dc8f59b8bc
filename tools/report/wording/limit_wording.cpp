#include "report/wording/limit_wording.hpp"

#include "report/format/quantities.hpp"

#include <cmath>

namespace contextual::log_report {
namespace {

std::string plain_percent(double fraction) {
  const std::string text = percent_text(fraction);
  return fraction < 0 ? text : text.substr(1);  // without its sign
}

std::string parts_text(const Limit& limit) {
  std::string text = "each part alone, in " +
                     count_text(static_cast<std::uint64_t>(limit.round_count), "round") +
                     " in turn with the whole region: ";
  double sum_ns = 0;
  bool complete = true;
  for (std::size_t i = 0; i < limit.parts.size(); ++i) {
    const PartTime& part = limit.parts[i];
    complete = complete && part.makespan_ns;
    sum_ns += part.makespan_ns.value_or(0);
    text += (i == 0 ? "" : ", ") + std::string(part.name) + " " +
            (part.makespan_ns ? duration_text(*part.makespan_ns) : "without a time");
  }
  return complete ? text + "; one after the other " + duration_text(sum_ns) : text;
}

std::string limit_text(const Limit& limit) {
  std::string text =
      "limit: the region takes at least as long as its longest part, " + duration_text(*limit.limit_ns);
  if (limit.result_ns) {
    text += "; it takes " + duration_text(*limit.result_ns) + ", " +
            percent_text(*limit.result_ns / *limit.limit_ns - 1) + " to that";
  }
  return text;
}

}  // namespace

std::vector<std::string> limit_texts(const Limit& limit) {
  std::vector<std::string> texts{parts_text(limit)};
  if (!limit.limit_ns || !limit.result_ns) {
    texts.emplace_back(
        "limit and hidden time are not known: the timer has no time of the region or of a part");
    return texts;
  }
  texts.push_back(limit_text(limit));
  if (limit.hidden && std::isfinite(*limit.hidden)) {
    texts.push_back("hidden: " + plain_percent(*limit.hidden) +
                    " of what the other parts take is hidden behind the longest one; 100 % is the limit, and "
                    "0 % is one part after the other");
  } else {
    texts.emplace_back(
        "hidden: nothing can be hidden, because the longest part takes as long as all of them");
  }
  return texts;
}

}  // namespace contextual::log_report
