#include <contextual/detail/tuning/config_meanings.hpp>

#include <map>
#include <mutex>
#include <utility>

namespace contextual::detail {
namespace {

struct Known {
  std::mutex mutex;
  std::map<std::string, MeaningsOfConfigs> by_kernel;
};

Known& known() {
  static auto* const all = new Known;  // outlives static objects
  return *all;
}

}  // namespace

void set_config_meanings(const std::string& kernel, MeaningsOfConfigs meanings) {
  const std::lock_guard lock(known().mutex);
  known().by_kernel[kernel] = std::move(meanings);
}

std::optional<std::vector<std::string>> config_meanings(const std::string& kernel, const Key& key) {
  MeaningsOfConfigs meanings;
  {
    const std::lock_guard lock(known().mutex);
    const auto found = known().by_kernel.find(kernel);
    if (found == known().by_kernel.end()) {
      return std::nullopt;
    }
    meanings = found->second;
  }
  return meanings(key);
}

}  // namespace contextual::detail
