#include "contextual/journal/quarantine.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace contextual::journal {
namespace {

using nlohmann::json;

/// Without those of defaults, each as an assignment of its own; none of another text.
std::set<std::string> parts_of(const std::string& assignment) {
  std::set<std::string> parts;
  const json problems = json::parse(assignment, nullptr, false);
  for (const json& problem : problems.is_array() ? problems : json::array()) {
    if (problem.is_array() && !problem.empty() && problem.back() != 0) {
      parts.insert(json::array({problem}).dump(-1, ' ', false, json::error_handler_t::replace));
    }
  }
  return parts;
}

/// Returns those of `parts` that are not among `others`.
std::set<std::string> without(const std::set<std::string>& parts, const std::set<std::string>& others) {
  std::set<std::string> left;
  std::set_difference(parts.begin(), parts.end(), others.begin(), others.end(),
                      std::inserter(left, left.end()));
  return left;
}

}  // namespace

int Quarantine::count(const std::string& assignment) const {
  const auto found = deaths_.find(assignment);
  return found == deaths_.end() ? 0 : found->second;
}

/// Also one that shares a part with what has died, so that it is known whose fault the next death is.
bool Quarantine::suspect(const std::string& assignment) const {
  if (count(assignment) > 0 || died_alone_.empty()) {
    return count(assignment) > 0;
  }
  const std::set<std::string> parts = without(parts_of(assignment), harmless_);
  return std::any_of(died_alone_.begin(), died_alone_.end(), [&](const std::string& died) {
    const std::set<std::string> shared = parts_of(died);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return shared.contains(part); });
  });
}

bool Quarantine::quarantined(const std::string& assignment) const {
  if (empty() || count(assignment) >= deaths_to_quarantine) {
    return !empty();
  }
  const std::set<std::string> parts = parts_of(assignment);
  return std::any_of(parts.begin(), parts.end(),
                     [this](const std::string& part) { return count(part) >= deaths_to_quarantine; });
}

/// `assignment` has just ended a process alone.
void Quarantine::condemn_part_of(const std::string& assignment) {
  const std::set<std::string> parts = without(parts_of(assignment), harmless_);
  for (const std::string& died : died_alone_) {
    const std::set<std::string> shared = without(parts, without(parts, parts_of(died)));
    if (died != assignment && shared.size() == 1) {
      deaths_[*shared.begin()] = deaths_to_quarantine;
    }
  }
  died_alone_.insert(assignment);
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
    deaths_[assignment] = deaths_to_quarantine;
  }
}

void Quarantine::came_back() {
  if (running_.size() == 1 && count(running_.front()) < deaths_to_quarantine) {
    deaths_.erase(running_.front());
    died_alone_.erase(running_.front());
  }
  for (const std::string& assignment : running_) {
    harmless_.merge(parts_of(assignment));
  }
  running_.clear();
}

void Quarantine::crash() {
  const bool certain = running_.size() == 1;
  for (const std::string& assignment : running_) {
    int& deaths = deaths_[assignment];
    deaths = certain ? std::min(deaths + 1, deaths_to_quarantine) : std::max(deaths, 1);
  }
  if (certain) {
    condemn_part_of(std::string(running_.front()));
  }
  running_.clear();
}

std::vector<std::string> Quarantine::quarantined() const {
  std::vector<std::string> list;
  for (const auto& [assignment, deaths] : deaths_) {
    if (deaths >= deaths_to_quarantine) {
      list.push_back(assignment);
    }
  }
  return list;
}

}  // namespace contextual::journal
