#include "contextual/storage/file_size_signal.hpp"

#include <contextual/detail/sync/blocked_process.hpp>

#include <unistd.h>

#include <fstream>
#include <string>

namespace contextual::detail {

void tell_stderr(std::string_view text) noexcept {
  const storage::FileSizeSignalBlock blocked;
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) {
    return;  // nobody is left to be told
  }
}

bool being_traced() noexcept {
  try {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("TracerPid:", 0) == 0) {
        return line.find_first_of("123456789") != std::string::npos;
      }
    }
  } catch (...) {
    // Not known: then nobody is.
  }
  return false;
}

}  // namespace contextual::detail
