#include "contextual/tuning/resumption.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace contextual::tuning {

Resumption::Resumption(const std::string& told, const std::string& heading) : heading_(heading) {
  const nlohmann::json parsed = nlohmann::json::parse(told, nullptr, false);
  if (!parsed.is_object()) {
    return;  // rank 0 keeps no journal
  }
  name_ = parsed.at("name").get<std::string>();
  strikes_ = journal::Strikes::parse(parsed.at("strikes").get<std::string>(), "");
  const auto old_heading = parsed.at("heading").get<std::string>();
  const auto lines = parsed.at("batches").get<std::vector<std::string>>();
  if (lines.empty()) {
    return;
  }
  if (!journal::same_run(old_heading, heading)) {
    leave(journal::difference(old_heading, heading));
    return;
  }
  heading_ = old_heading;
  for (const std::string& line : lines) {
    std::optional<journal::BatchRecord> record = journal::parse_record(line);
    if (!record) {
      return;
    }
    batches_.push_back(*std::move(record));
  }
}

void Resumption::advance() {
  iterations_ += static_cast<std::int64_t>(batches_[at_].length);
  elapsed_ns_ = std::max(elapsed_ns_, batches_[at_].outcome.elapsed_ns);  // what was skipped took none
  ++at_;
}

void Resumption::leave(const std::string& why) {
  left_ = why;
  batches_.resize(at_);
}

}  // namespace contextual::tuning
