#include "cache/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
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
constexpr mode_t new_file = 0666;  // less what the umask takes away

[[noreturn]] void refuse(const fs::path& file, const char* what, int code) {
  throw FileError(file.string() + ": " + what + ": " + std::generic_category().message(code));
}

/// Returns 0, or the error's number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return 0;
}

/// Writes, and closes the descriptor. Returns 0, or the error's number.
int fill(int descriptor, std::string_view text) {
  int code = write_all(descriptor, text);
  // A device or a pipe cannot be synchronised.
  if (code == 0 && ::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS) {
    code = errno;
  }
  // A network file system may say only now that there is no room.
  if (::close(descriptor) != 0 && code == 0) {
    code = errno;
  }
  return code;
}

/// Returns the standard output or error where one of them is this file, as /dev/stdout is; else -1.
int own_stream(const struct stat& file) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat status {};
    if (::fstat(stream, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino) {
      return stream;
    }
  }
  return -1;
}

/// To a file that stays the same one.
void write_in_place(const fs::path& file, int stream, std::string_view text) {
  const int descriptor =
      stream >= 0 ? ::fcntl(stream, F_DUPFD_CLOEXEC, 0) : ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (const int code = descriptor < 0 ? errno : fill(descriptor, text); code != 0) {
    refuse(file, "it cannot be written", code);
  }
}

/// What links lead to, also where that is not there yet.
fs::path behind_links(fs::path file) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::error_code failed;
  for (int i = 0; i < most_links && fs::is_symlink(file, failed); ++i) {
    const fs::path to = fs::read_symlink(file, failed);
    file = file.parent_path() / to;  // `to` alone where that is absolute
  }
  return file;
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
  struct stat before {};
  const bool is_there = ::stat(file.c_str(), &before) == 0;
  const int stream = is_there ? own_stream(before) : -1;
  if (is_there && (stream >= 0 || !S_ISREG(before.st_mode))) {
    write_in_place(file, stream, text);
    return;
  }
  const fs::path target = behind_links(file);
  const fs::path aside =
      target.parent_path() / ("." + target.filename().string() + "." + std::to_string(::getpid()) + ".part");
  const int descriptor = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, new_file);
  if (descriptor < 0) {
    refuse(file, "it cannot be written", errno);
  }
  if (is_there) {
    constexpr mode_t permissions = 07777;
    static_cast<void>(::fchmod(descriptor, before.st_mode & permissions));  // not every file system has them
  }
  int code = fill(descriptor, text);
  if (code == 0 && ::rename(aside.c_str(), target.c_str()) != 0) {
    code = errno;
  }
  if (code != 0) {
    ::unlink(aside.c_str());
    refuse(file, "it cannot be written", code);
  }
}

}  // namespace contextual::cache_tool
