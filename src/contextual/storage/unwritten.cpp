#include "contextual/storage/unwritten.hpp"

#include "contextual/storage/file_size_signal.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>
#include <contextual/detail/storage/warning.hpp>

#include <cstdio>
#include <mutex>
#include <set>

namespace contextual::storage {

bool is_new(const std::string& text) {
  static std::mutex mutex;
  static auto* const told = new std::set<std::string>;  // outlives static objects
  const std::lock_guard lock(mutex);
  return told->insert(text).second;
}

std::string unwritten_warning(const std::filesystem::path& directory, const std::string& what,
                              const std::string& problem) {
  const std::string why = detail::TrustedFolder(directory, {}).why_unwritable();
  if (why.empty()) {
    return what + ": " + problem;
  }
  const std::string warning = "no choices are kept, and no run can be resumed: " + why;
  return is_new("unwritten " + directory.string()) ? warning : std::string();
}

bool is_unwritable(const std::filesystem::path& directory) {
  return !detail::TrustedFolder(directory, {}).why_unwritable().empty();
}

}  // namespace contextual::storage

namespace contextual::detail {

void warn_once(const std::string& text) noexcept {
  try {
    if (storage::is_new(text)) {
      const storage::FileSizeSignalBlock blocked;
      std::fprintf(stderr, "[contextual] warning: %s\n", text.c_str());
    }
  } catch (...) {
    return;  // no memory for a warning
  }
}

}  // namespace contextual::detail
