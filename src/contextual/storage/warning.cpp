#include "contextual/storage/file_size_signal.hpp"
#include "contextual/storage/unwritten.hpp"

#include <contextual/detail/storage/warning.hpp>

#include <cstdio>
#include <mutex>
#include <set>

bool contextual::storage::is_new(const std::string& text) {
  static std::mutex mutex;
  static auto* const told = new std::set<std::string>;  // outlives static objects
  const std::lock_guard lock(mutex);
  return told->insert(text).second;
}

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
