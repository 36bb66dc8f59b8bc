#include "contextual/cuda/kernel/include_scan.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace contextual::cuda {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What `#include` lines of a text name, in order.
std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') {
      continue;
    }
    const std::size_t word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) {
      continue;
    }
    const std::size_t open = line.find_first_of("\"<", word + 7);
    const std::size_t close = open == std::string::npos ? open : line.find_first_of("\">", open + 1);
    if (close != std::string::npos) {
      names.push_back(line.substr(open + 1, close - open - 1));
    }
  }
  return names;
}

class Scan {
 public:
  explicit Scan(const CudaSource& source) : source_(source) {}

  void add(const std::string& text, const fs::path& folder) {
    hash_.add(std::string_view(text));
    for (const std::string& name : included_names(text)) {
      add_header(name, folder);
    }
  }
  std::uint64_t digest() const { return hash_.value(); }

 private:
  void add_header(const std::string& name, const fs::path& folder) {
    const auto embedded = std::find_if(source_.headers().begin(), source_.headers().end(),
                                       [&](const CudaSource::Header& header) { return header.name == name; });
    if (embedded != source_.headers().end()) {
      if (seen_.insert("<" + name).second) {
        hash_.add(std::string_view(name));
        add(embedded->text, folder);
      }
      return;
    }
    std::vector<fs::path> folders;
    if (!folder.empty()) {
      folders.push_back(folder);
    }
    folders.insert(folders.end(), source_.include_directories().begin(), source_.include_directories().end());
    for (const fs::path& candidate : folders) {
      const fs::path path = (candidate / name).lexically_normal();
      if (seen_.contains(path.string())) {
        return;
      }
      if (const auto text = read(path)) {
        seen_.insert(path.string());
        hash_.add(std::string_view(name));
        add(*text, path.parent_path());
        return;
      }
    }
  }

  const CudaSource& source_;
  detail::StableHash hash_;
  std::set<std::string> seen_;
};

}  // namespace

std::string source_text(const CudaSource& source) {
  if (source.path().empty()) {
    return source.embedded();
  }
  auto text = read(source.path());
  if (!text) {
    throw InvalidArgument("CUDA source '" + source.path().string() + "' cannot be read");
  }
  return *std::move(text);
}

std::uint64_t source_digest(const CudaSource& source, const std::string& text) {
  Scan scan(source);
  scan.add(text, source.path().empty() ? fs::path() : source.path().parent_path());
  detail::StableHash hash;
  hash.add(scan.digest());
  for (const std::string& option : source.options()) {
    hash.add(std::string_view(option));
  }
  return hash.value();
}

}  // namespace contextual::cuda
