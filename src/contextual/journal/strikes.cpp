#include "contextual/journal/strikes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace contextual::journal {

using nlohmann::json;

int Strikes::count(const std::string& assignment) const {
  const auto found = counts_.find(assignment);
  return found == counts_.end() ? 0 : found->second;
}

void Strikes::add(const std::vector<std::string>& in_flight) {
  const bool certain = in_flight.size() == 1;
  for (const std::string& assignment : in_flight) {
    int& deaths = counts_[assignment];
    deaths = certain ? std::min(deaths + 1, deaths_to_quarantine) : std::max(deaths, 1);
  }
}

std::vector<std::string> Strikes::quarantined() const {
  std::vector<std::string> list;
  for (const auto& [assignment, deaths] : counts_) {
    if (deaths >= deaths_to_quarantine) {
      list.push_back(assignment);
    }
  }
  return list;
}

void Strikes::forget_suspects() {
  std::erase_if(counts_, [](const auto& strike) { return strike.second < deaths_to_quarantine; });
}

void Strikes::forgive() {
  if (!std::exchange(forgiven_, true)) {
    counts_.clear();
  }
}

bool Strikes::clear(const std::string& assignment) {
  return !quarantined(assignment) && counts_.erase(assignment) > 0;
}

std::string Strikes::to_text(const std::string& kernels) const {
  return json({{"kernels", kernels}, {"deaths", counts_}, {"forgiven", forgiven_}})
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string Strikes::kernels_in(std::string_view text) {
  const json parsed = json::parse(text, nullptr, false);
  const json kernels = parsed.is_object() ? parsed.value("kernels", json()) : json();
  return kernels.is_string() ? kernels.get<std::string>() : std::string();
}

Strikes Strikes::parse(std::string_view text, const std::string& kernels) {
  Strikes strikes;
  const json parsed = json::parse(text, nullptr, false);
  if (!parsed.is_object() || parsed.value("kernels", json()) != kernels || !parsed.contains("deaths") ||
      !parsed.at("deaths").is_object()) {
    return strikes;
  }
  strikes.forgiven_ = parsed.value("forgiven", json(false)) == true;
  for (const auto& [assignment, deaths] : parsed.at("deaths").items()) {
    if (deaths.is_number_integer() && deaths.get<std::int64_t>() > 0) {
      strikes.counts_[assignment] =
          static_cast<int>(std::min<std::int64_t>(deaths.get<std::int64_t>(), deaths_to_quarantine));
    }
  }
  return strikes;
}

}  // namespace contextual::journal
