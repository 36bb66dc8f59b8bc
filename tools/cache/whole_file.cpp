#include "cache/whole_file.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <istream>
#include <system_error>

namespace contextual::cache_tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_text = std::size_t{256} << 20U;
constexpr int most_links = 40;  ///< of one path, as the system has it

[[noreturn]] void refuse(const fs::path& file, const char* what, int code) {
  throw FileError(file.string() + ": " + what + ": " + std::generic_category().message(code));
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
  return read_whole(from, file.string());
}

void write_whole(const fs::path& file, std::string_view text) {
  std::error_code none;
  const fs::file_status now = fs::status(file, none);
  const bool in_place =
      (fs::exists(now) && !fs::is_regular_file(now)) ||  // also what standard output goes to
      file.native().starts_with("/dev/std") || file.native().starts_with("/dev/fd/");
  fs::path target = file;
  for (int links = 0; links < most_links && !in_place && fs::is_symlink(target, none); ++links) {
    target = target.parent_path() / fs::read_symlink(target, none);
  }
  const fs::path aside = in_place ? file
                                  : target.parent_path() / ("." + target.filename().string() + "." +
                                                            std::to_string(::getpid()) + ".part");
  std::ofstream to(aside, std::ios::binary | (in_place ? std::ios::app : std::ios::trunc));
  to << text;
  to.close();
  if (const int code = errno; !to) {
    if (!in_place) {
      fs::remove(aside, none);
    }
    refuse(file, "it cannot be written", code);
  }
  if (in_place) {
    return;
  }
  if (const fs::file_status before = fs::status(target, none); fs::exists(before)) {
    fs::permissions(aside, before.permissions(), none);
  }
  std::error_code failed;
  fs::rename(aside, target, failed);
  if (failed) {
    fs::remove(aside, none);
    refuse(file, "it cannot be written", failed.value());
  }
}

}  // namespace contextual::cache_tool
