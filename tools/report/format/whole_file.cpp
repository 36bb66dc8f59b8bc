#include "report/format/whole_file.hpp"

#include "report/format/texts.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <istream>
#include <system_error>

namespace contextual::log_report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_text = std::size_t{256} << 20U;

[[noreturn]] void refuse(const fs::path& file, const char* what, int code) {
  throw FileError(printable(file.string()) + ": " + what + ": " + std::generic_category().message(code));
}

}  // namespace

std::string read_whole(std::istream& from, const std::string& name) {
  std::string text;
  std::array<char, 65536> part{};
  while (from.read(part.data(), part.size()), from.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(from.gcount()));
    if (text.size() > longest_text) {  // it may never end
      throw FileError(name + ": it has more than " + std::to_string(longest_text >> 20U) +
                      " MiB, which is more than a cache directory's file may have");
    }
  }
  if (from.bad()) {  // a folder, for example, can be opened and not read
    throw FileError(name + ": it cannot be read");
  }
  return text;
}

std::string read_whole(const fs::path& file) {
  std::ifstream from(file, std::ios::binary);
  if (!from) {
    refuse(file, "it cannot be read", errno);
  }
  return read_whole(from, printable(file.string()));
}

void write_whole(const fs::path& file, std::string_view text) {
  std::error_code failed;
  const fs::file_status now = fs::symlink_status(file, failed);
  const bool in_place = fs::exists(now) && !fs::is_regular_file(now);
  fs::path target = file;
  target += in_place ? "" : ".part";
  std::ofstream to(target, std::ios::binary | std::ios::trunc);
  to << text;
  to.close();
  failed = to ? std::error_code() : std::error_code(errno, std::generic_category());
  if (!failed && !in_place) {
    fs::rename(target, file, failed);
  }
  if (failed) {
    if (std::error_code none; !in_place) {
      fs::remove(target, none);
    }
    refuse(file, "it cannot be written", failed.value());
  }
}

}  // namespace contextual::log_report
