/// \file
/// RunContext: which launches can have broken the device.

#include "contextual/launch/run_context.hpp"

#include <map>
#include <utility>

namespace contextual::detail {

std::vector<DeviceError::Suspect> RunContext::suspects(const ThreadLog* own) {
  const std::lock_guard lock(mutex_);
  const std::int64_t first_iteration = tuning_iteration - static_cast<std::int64_t>(batch_iteration);
  std::map<std::pair<std::size_t, std::size_t>, DeviceError::Suspect> fresh;  // by slot and config
  std::map<std::pair<std::size_t, std::size_t>, DeviceError::Suspect> all;
  const auto add = [&](const ProblemSlot& slot, std::size_t id, std::int64_t iteration) {
    if (slot.found.members.empty()) {
      return;
    }
    const SpaceView& space = slot.found.members.front()->space();
    const DeviceError::Suspect suspect{slot.problem.name, slot.problem.key_text, id,
                                       space.configs[id].to_string(), iteration};
    all.try_emplace({slot.index, id}, suspect);
    if (!settled_.contains({slot.index, id})) {
      fresh.try_emplace({slot.index, id}, suspect);
    }
  };
  for (const ThreadLog& log : threads_) {
    if (own == nullptr || own == &log) {
      for (const LaunchRecord& record : log.records) {
        add(*record.slot, record.config_id,
            first_iteration + static_cast<std::int64_t>(record.batch_iteration));
      }
    }
    if (const std::uint64_t word = log.current.load(std::memory_order_acquire); (word >> 32) != 0) {
      // The launch that is under way has no record yet.
      add(slots_[static_cast<std::size_t>(word >> 32) - 1],
          static_cast<std::size_t>((word & 0xffffffffU) >> 1), tuning_iteration);
    }
  }
  std::vector<DeviceError::Suspect> suspects;
  for (auto& [place, suspect] : fresh.empty() ? all : fresh) {
    suspects.push_back(std::move(suspect));
  }
  return suspects;
}

void RunContext::mark_settled() {
  const std::lock_guard lock(mutex_);
  for (const ThreadLog& log : threads_) {
    for (const LaunchRecord& record : log.records) {
      settled_.insert({record.slot->index, record.config_id});
    }
  }
}

std::string suspects_text(const std::vector<DeviceError::Suspect>& suspects) {
  if (suspects.empty()) {
    return "No launch of a tunable kernel can have caused it";
  }
  std::string text = suspects.size() == 1 ? "Of the tuned launches, only this one can have caused it: "
                                          : "The cause can be ";
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    const DeviceError::Suspect& suspect = suspects[i];
    text.append(i == 0 ? "" : ", or ")
        .append("kernel \"")
        .append(suspect.kernel)
        .append("\", key ")
        .append(suspect.key)
        .append(", config-")
        .append(std::to_string(suspect.config_id))
        .append(" ")
        .append(suspect.config)
        .append(" from tuning iteration ")
        .append(std::to_string(suspect.tuning_iteration))
        .append(" on");
  }
  return text;
}

}  // namespace contextual::detail
