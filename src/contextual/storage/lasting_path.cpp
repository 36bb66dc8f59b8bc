#include "contextual/storage/lasting_path.hpp"

#include <map>
#include <mutex>
#include <system_error>

namespace contextual::storage {

std::filesystem::path lasting_path(const std::filesystem::path& path) {
  if (path.empty() || path.is_absolute()) {
    return path;
  }
  static std::mutex mutex;
  static auto* const known = new std::map<std::filesystem::path, std::filesystem::path>;  // outlives all
  const std::lock_guard lock(mutex);
  if (const auto found = known->find(path); found != known->end()) {
    return found->second;
  }
  std::error_code removed;
  const std::filesystem::path current = std::filesystem::current_path(removed);
  return removed ? path : known->emplace(path, current / path).first->second;
}

}  // namespace contextual::storage
