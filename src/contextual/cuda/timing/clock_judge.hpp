#pragma once

/// \file
/// Whether a device ran a batch in another state than the batches before it, so that its times would bend a
/// choice. Pure: no NVML, no clock, no device.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace contextual::cuda {

/// One device during one batch. Fields without a value could not be read.
struct ClockReading {
  int device = 0;
  std::optional<int> sm_clock_mhz{};
  std::optional<std::uint64_t> reasons{};         ///< bits of `clock_reason`
  std::optional<std::int64_t> thermal_ns{};       ///< for how long it was slowed by heat, cumulated
  std::optional<std::int64_t> power_capped_ns{};  ///< for how long by its power cap, cumulated
};

/// "power cap, thermal" of bits of `clock_reason`; nothing for an idle device.
std::string reasons_text(std::uint64_t reasons);

/// Fed with the readings of one batch after the other.
///
/// Disturbing: a hardware slowdown, a thermal one or a power brake that is there and was not in the
/// reference, or the other way round; an SM clock more than 10 % below the highest one seen, unless the power
/// cap is the reason. The reference of a device is its first reading. Not disturbing: the power cap, which is
/// the normal state of a busy device and is noted once; an idle device, whose clock says nothing.
class ClockJudge {
 public:
  /// How often times are dropped at most. After that the state of the moment becomes the reference, with a
  /// warning, so that tuning ends on a device that stays slow or never settles.
  struct Limits {
    int in_a_row = 2;
    int a_run = 8;
  };

  struct Verdict {
    std::string disturbance;            ///< empty: the batch's times count
    std::vector<std::string> warnings;  ///< each once a device and cause
  };

  ClockJudge() = default;
  explicit ClockJudge(const Limits& limits) : limits_(limits) {}

  Verdict judge(std::span<const ClockReading> readings);

 private:
  struct Device {
    std::uint64_t slowed_by = 0;       ///< in the reference: severe reasons
    std::optional<int> highest_mhz{};  ///< since the reference
    std::optional<std::int64_t> thermal_ns{};
    std::optional<std::int64_t> power_capped_ns{};
    bool told_power_cap = false;
    bool told_slowdown = false;
    bool told_clock = false;
  };
  /// Of one device in one batch; no text: nothing to say.
  struct Finding {
    std::string text{};
    bool slowdown = false;  ///< else the clock
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
