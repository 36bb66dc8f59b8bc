#pragma once

/// \file
/// Judges whether a device ran a batch in another state than earlier batches, so that its times would distort
/// a choice. Pure: uses no NVML, no clock and no device.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace contextual::cuda {

/// The state of one device during one batch. A field without a value could not be read.
struct ClockReading {
  int device = 0;
  std::optional<int> sm_clock_mhz{};
  std::optional<std::uint64_t> reasons{};         ///< bits of `clock_reason`
  std::optional<std::int64_t> thermal_ns{};       ///< the total time for which heat slowed it down
  std::optional<std::int64_t> power_capped_ns{};  ///< the total time for which its power cap did
};

/// Returns the names of the bits of `clock_reason`, e.g. "power cap, thermal"; an empty text for an idle
/// device.
std::string reasons_text(std::uint64_t reasons);

/// Takes the readings of one batch after another. The first reading of a device is its reference.
///
/// A batch is disturbed if a hardware slowdown, a thermal slowdown or a power brake is present but was not in
/// the reference, or the reverse; or if the SM clock is more than 10 % below the highest one seen and the
/// power cap is not the reason. A power cap does not disturb: it is normal for a busy device, and is noted
/// once. An idle device does not disturb either, because its clock means nothing.
class ClockJudge {
 public:
  /// How often times are dropped at most. After that the current state becomes the reference, with a warning,
  /// so that tuning ends on a device that stays slow or never becomes steady.
  struct Limits {
    int in_a_row = 2;
    int a_run = 8;
  };

  struct Verdict {
    std::string disturbance;            ///< empty if the batch's times count
    std::vector<std::string> warnings;  ///< each once per device and cause
  };

  ClockJudge() = default;
  explicit ClockJudge(const Limits& limits) : limits_(limits) {}

  Verdict judge(std::span<const ClockReading> readings);

 private:
  struct Device {
    std::uint64_t slowed_by = 0;       ///< the severe reasons in the reference
    std::optional<int> highest_mhz{};  ///< since the reference
    std::optional<std::int64_t> thermal_ns{};
    std::optional<std::int64_t> power_capped_ns{};
    bool told_power_cap = false;
    bool told_slowdown = false;
    bool told_clock = false;
  };
  /// The finding about one device in one batch. Without a text there is nothing to report.
  struct Finding {
    std::string text{};
    bool slowdown = false;  ///< false if it is about the clock
    std::uint64_t slowed_by = 0;
  };

  static Finding look_at(const ClockReading& reading, Device& device, bool first,
                         std::vector<std::string>& warnings);
  bool may_drop() const;
  static void accept(const ClockReading& reading, const Finding& finding, Device& device,
                     std::vector<std::string>& warnings);

  Limits limits_;
  std::map<int, Device> devices_;
  int in_a_row_ = 0;
  int in_run_ = 0;
};

}  // namespace contextual::cuda
