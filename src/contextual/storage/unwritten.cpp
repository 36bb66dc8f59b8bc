#include "contextual/storage/unwritten.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <mutex>
#include <set>

namespace contextual::storage {
namespace {

/// Returns true the first time in a process.
bool is_first(const std::filesystem::path& directory) {
  static std::mutex mutex;
  static auto* const told = new std::set<std::filesystem::path>;  // outlives static objects
  const std::lock_guard lock(mutex);
  return told->insert(directory).second;
}

}  // namespace

std::string unwritten_warning(const std::filesystem::path& directory, const std::string& what,
                              const std::string& problem) {
  const std::string why = detail::TrustedFolder(directory, {}).why_unwritable();
  if (why.empty()) {
    return what + ": " + problem;
  }
  return is_first(directory) ? "no choices are kept, and no run can be resumed: " + why : std::string();
}

bool is_unwritable(const std::filesystem::path& directory) {
  return !detail::TrustedFolder(directory, {}).why_unwritable().empty();
}

}  // namespace contextual::storage
