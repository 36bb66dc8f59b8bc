#include "contextual/journal/quarantine.hpp"

#include <algorithm>

namespace contextual::journal {

int Quarantine::count(const std::string& assignment) const {
  const auto found = deaths_.find(assignment);
  return found == deaths_.end() ? 0 : found->second;
}

void Quarantine::begin(const std::string& kernels, bool forgives) {
  if (kernels != kernels_) {
    *this = {};
    kernels_ = kernels;
  }
  if (forgives && !forgiven_) {
    deaths_.clear();
  }
  forgiven_ = forgives;
  crash();
}

void Quarantine::restore(const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    deaths_[assignment] = deaths_to_quarantine;
  }
}

void Quarantine::came_back() {
  if (running_.size() == 1 && !quarantined(running_.front())) {
    deaths_.erase(running_.front());
  }
  running_.clear();
}

void Quarantine::crash() {
  const bool certain = running_.size() == 1;
  for (const std::string& assignment : running_) {
    int& deaths = deaths_[assignment];
    deaths = certain ? std::min(deaths + 1, deaths_to_quarantine) : std::max(deaths, 1);
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
