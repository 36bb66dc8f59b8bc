#include "result_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>

namespace faults {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

ResultFile::ResultFile(const std::filesystem::path& file)
    : descriptor_(open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) {
    throw std::system_error(errno, std::generic_category(), file.string());
  }
}

ResultFile::~ResultFile() {
  close(descriptor_);
}

void ResultFile::write(nlohmann::json record) const {
  record["at_ns"] = now_ns();
  const std::string line = record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (::write(descriptor_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw std::system_error(errno, std::generic_category(), "a result file");
  }
}

}  // namespace faults
