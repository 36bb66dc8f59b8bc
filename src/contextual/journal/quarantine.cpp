#include "contextual/journal/quarantine.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace contextual::journal {
namespace {

using nlohmann::json;
using Parts = std::set<std::string>;

constexpr int deaths_to_quarantine = 2;

/// Without those of defaults, each as an assignment of its own; none of another text.
Parts parts_of(const std::string& assignment) {
  Parts parts;
  for (const json& problem : json::parse(assignment, nullptr, false)) {
    if (problem.is_array() && !problem.empty() && problem.back() != 0) {
      parts.insert(json::array({problem}).dump(-1, ' ', false, json::error_handler_t::replace));
    }
  }
  return parts;
}

Parts shared(const Parts& parts, const Parts& others) {
  Parts both;
  std::set_intersection(parts.begin(), parts.end(), others.begin(), others.end(),
                        std::inserter(both, both.end()));
  return both;
}

}  // namespace

/// Those that may be to blame.
Parts Quarantine::doubtful_parts_of(const std::string& assignment) const {
  Parts parts = parts_of(assignment);
  std::erase_if(parts, [this](const std::string& part) { return harmless_.contains(part); });
  return parts;
}

bool Quarantine::proven(const std::string& assignment) const {
  return harmless_.contains(assignment) && !deaths_.contains(assignment);
}

/// Also one that shares a part with what has died, so that it is known whose fault the next death is.
bool Quarantine::suspect(const std::string& assignment) const {
  if (empty() || deaths_.contains(assignment)) {
    return !empty();
  }
  const Parts parts = doubtful_parts_of(assignment);
  return std::any_of(deaths_.begin(), deaths_.end(), [&](const auto& died) {
    return died.second.alone && !shared(parts, parts_of(died.first)).empty();
  });
}

bool Quarantine::quarantined(const std::string& assignment) const {
  if (empty()) {
    return false;
  }
  Parts either = parts_of(assignment);
  either.insert(assignment);
  return std::any_of(either.begin(), either.end(), [this](const std::string& text) {
    const auto found = deaths_.find(text);
    return found != deaths_.end() && found->second.count >= deaths_to_quarantine;
  });
}

void Quarantine::begin(const std::string& kernels) {
  if (kernels != kernels_) {
    *this = {};
    kernels_ = kernels;
  }
  crash();
}

void Quarantine::restore(const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    deaths_[assignment].count = deaths_to_quarantine;
  }
}

void Quarantine::came_back() {
  if (running_.size() == 1 && !quarantined(running_.front())) {
    deaths_.erase(running_.front());
  }
  for (const std::string& assignment : running_) {
    harmless_.insert(assignment);
    harmless_.merge(parts_of(assignment));
  }
  running_.clear();
}

void Quarantine::crash() {
  const bool alone = running_.size() == 1;
  for (const std::string& assignment : std::exchange(running_, {})) {
    Deaths& deaths = deaths_[assignment];
    deaths = alone ? Deaths{std::min(deaths.count + 1, deaths_to_quarantine), true}
                   : Deaths{std::max(deaths.count, 1), deaths.alone};
    const Parts parts = alone ? doubtful_parts_of(assignment) : Parts();
    for (const auto& [other, deaths_of_other] : deaths_) {
      const Parts both = deaths_of_other.alone ? shared(parts, parts_of(other)) : Parts();
      if (other != assignment && both.size() == 1) {
        deaths_[*both.begin()].count = deaths_to_quarantine;
      }
    }
  }
}

std::vector<std::string> Quarantine::quarantined() const {
  std::vector<std::string> list;
  for (const auto& [assignment, deaths] : deaths_) {
    if (deaths.count >= deaths_to_quarantine) {
      list.push_back(assignment);
    }
  }
  return list;
}

}  // namespace contextual::journal
