#include "contextual/cuda/timing/clock_judge.hpp"

#include "contextual/cuda/api/nvml.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace contextual::cuda {
namespace {

constexpr std::uint64_t severe = clock_reason::hardware_slowdown | clock_reason::software_thermal |
                                 clock_reason::hardware_thermal | clock_reason::power_brake;

/// A clock that moves less is a step of the governor: kernels differ by less than a config's gain then.
constexpr int clock_tolerance_percent = 10;

/// Cumulated time since the reading before; true when some was added.
bool grew(std::optional<std::int64_t> now, std::optional<std::int64_t>& before) {
  const bool more = now && before && *now > *before;
  before = now ? now : before;
  return more;
}

std::string named(int device) {
  return "device " + std::to_string(device);
}

bool too_slow(int mhz, int highest_mhz) {
  return mhz * 100 < highest_mhz * (100 - clock_tolerance_percent);
}

std::string slowdown_text(const ClockReading& reading, std::uint64_t before, std::uint64_t now) {
  const std::string began = reasons_text(now & ~before);
  const std::string ended = reasons_text(before & ~now);
  std::string text = named(reading.device);
  text += began.empty() ? "" : " is slowed down by " + began + ", which it was not before";
  text += ended.empty() ? ""
                        : std::string(began.empty() ? "" : ", and") + " is no longer slowed down by " + ended;
  return text;
}

}  // namespace

std::string reasons_text(std::uint64_t reasons) {
  static constexpr std::array<std::pair<std::uint64_t, const char*>, 8> names{{
      {clock_reason::power_cap, "power cap"},
      {clock_reason::hardware_slowdown, "hardware slowdown"},
      {clock_reason::software_thermal, "thermal"},
      {clock_reason::hardware_thermal, "thermal (hardware)"},
      {clock_reason::power_brake, "power brake"},
      {clock_reason::clocks_setting, "clocks setting"},
      {clock_reason::sync_boost, "sync boost"},
      {clock_reason::display_setting, "display setting"},
  }};
  std::string text;
  for (const auto& [bit, name] : names) {
    if ((reasons & bit) != 0) {
      text += (text.empty() ? "" : ", ") + std::string(name);
    }
  }
  return text;
}

ClockJudge::Finding ClockJudge::look_at(const ClockReading& reading, Device& device, bool first,
                                        std::vector<std::string>& warnings) {
  const bool heated = grew(reading.thermal_ns, device.thermal_ns);
  const bool capped = grew(reading.power_capped_ns, device.power_capped_ns) ||
                      (reading.reasons && (*reading.reasons & clock_reason::power_cap) != 0);
  Finding finding;
  finding.slowdown = true;
  finding.slowed_by = reading.reasons ? *reading.reasons & severe : device.slowed_by;
  if (heated &&
      (finding.slowed_by & (clock_reason::software_thermal | clock_reason::hardware_thermal)) == 0) {
    finding.slowed_by |= clock_reason::software_thermal;  // it was so for a part of the batch
  }
  if (capped && !std::exchange(device.told_power_cap, true)) {
    warnings.push_back(named(reading.device) +
                       " is held back by its power cap, which is normal under load: its times are kept");
  }
  if (first) {
    device.slowed_by = finding.slowed_by;
  }
  if (finding.slowed_by != device.slowed_by) {
    finding.text = slowdown_text(reading, device.slowed_by, finding.slowed_by);
    return finding;
  }
  finding.slowdown = false;
  const bool idle = reading.reasons && (*reading.reasons & clock_reason::idle) != 0;
  if (reading.sm_clock_mhz && !idle) {
    const int mhz = *reading.sm_clock_mhz;
    const int highest = std::max(device.highest_mhz.value_or(mhz), mhz);
    device.highest_mhz = highest;
    // Without reasons it may be the power cap.
    if (reading.reasons && !capped && too_slow(mhz, highest)) {
      finding.text = named(reading.device) + "'s SM clock fell from " + std::to_string(highest) + " to " +
                     std::to_string(mhz) + " MHz";
    }
  }
  return finding;
}

bool ClockJudge::may_drop() const {
  return in_a_row_ < limits_.in_a_row && in_run_ < limits_.a_run;
}

void ClockJudge::accept(const ClockReading& reading, const Finding& finding, Device& device,
                        std::vector<std::string>& warnings) {
  device.slowed_by = finding.slowed_by;
  device.highest_mhz = reading.sm_clock_mhz;
  bool& told = finding.slowdown ? device.told_slowdown : device.told_clock;
  if (!std::exchange(told, true)) {
    warnings.push_back(finding.text + "; its times are kept, and compare badly with those taken before");
  }
}

ClockJudge::Verdict ClockJudge::judge(std::span<const ClockReading> readings) {
  Verdict verdict;
  std::vector<std::pair<const ClockReading*, Finding>> findings;
  for (const ClockReading& reading : readings) {
    const auto [device, first] = devices_.try_emplace(reading.device);
    Finding finding = look_at(reading, device->second, first, verdict.warnings);
    if (!finding.text.empty()) {
      findings.emplace_back(&reading, std::move(finding));
    }
  }
  if (findings.empty()) {
    in_a_row_ = 0;
    return verdict;
  }
  if (may_drop()) {
    ++in_a_row_;
    ++in_run_;
    for (const auto& [reading, finding] : findings) {
      verdict.disturbance += (verdict.disturbance.empty() ? "" : "; ") + finding.text;
    }
    return verdict;
  }
  in_a_row_ = 0;
  for (const auto& [reading, finding] : findings) {
    accept(*reading, finding, devices_.at(reading->device), verdict.warnings);
  }
  return verdict;
}

}  // namespace contextual::cuda
