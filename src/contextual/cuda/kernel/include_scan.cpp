#include "contextual/cuda/kernel/include_scan.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace contextual::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view blanks = " \t\r";

std::optional<std::string> read(const fs::path& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || !fs::is_regular_file(path, ignored)) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view identifier_at(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_part_of_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// Between the quotes or brackets that the text begins with.
std::optional<std::string> literal_name(std::string_view text) {
  if (text.empty() || (text.front() != '"' && text.front() != '<')) {
    return std::nullopt;
  }
  const std::size_t close = text.find(text.front() == '<' ? '>' : '"', 1);
  return close == std::string_view::npos ? std::nullopt
                                         : std::optional(std::string(text.substr(1, close - 1)));
}

/// The lines of a text, of which one that ends in a backslash goes on in the next one.
std::vector<std::string> logical_lines(const std::string& text) {
  std::vector<std::string> lines;
  bool goes_on = false;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    const bool next_goes_on = line.ends_with('\\');
    if (next_goes_on) {
      line.pop_back();
    }
    if (goes_on) {
      lines.back() += line;
    } else {
      lines.push_back(line);
    }
    goes_on = next_goes_on;
  }
  return lines;
}

/// What follows `#word` in the line; nothing if it has no such directive. Also after a comment.
std::optional<std::string_view> after_directive(std::string_view line, std::string_view word) {
  for (std::size_t hash = line.find('#'); hash != std::string_view::npos; hash = line.find('#', hash + 1)) {
    const std::string_view directive = trimmed(line.substr(hash + 1));
    if (directive.starts_with(word)) {
      return trimmed(directive.substr(word.size()));
    }
  }
  return std::nullopt;
}

/// The macros of all texts, each with all its definitions: which of them holds where is not looked at.
class Macros {
 public:
  /// Of "NAME text" or "NAME(parameters) text".
  void define(std::string_view definition) {
    const std::string name(identifier_at(definition));
    const std::string_view rest = definition.substr(name.size());
    const std::string text = rest.starts_with('(') ? std::string(function) : std::string(trimmed(rest));
    count_ += texts_[name].insert(text).second ? 1U : 0U;
  }

  std::size_t count() const noexcept { return count_; }

  /// The names of headers that an expression of macros can stand for; nothing where that takes a compiler. A
  /// macro that nobody defines stands for none.
  std::optional<std::vector<std::string>> headers(std::string_view expression, int depth = 0) const {
    constexpr int deepest = 8;
    if (auto name = literal_name(expression)) {
      const bool expands = expression.front() == '<' && has_macro(*name);
      return expands ? std::nullopt : std::optional(std::vector{*std::move(name)});
    }
    const std::string_view name = identifier_at(expression);
    const auto found = texts_.find(std::string(name));
    if (found == texts_.end()) {
      return std::vector<std::string>();
    }
    const std::string_view rest = trimmed(expression.substr(name.size()));
    if (depth > deepest || !(rest.empty() || rest.starts_with("//") || rest.starts_with("/*"))) {
      return std::nullopt;
    }
    std::vector<std::string> names;
    for (const std::string& text : found->second) {
      const auto of_text = text == function ? std::nullopt : headers(text, depth + 1);
      if (!of_text) {
        return std::nullopt;
      }
      names.insert(names.end(), of_text->begin(), of_text->end());
    }
    return names;
  }

 private:
  static constexpr std::string_view function = "(";

  bool has_macro(std::string_view text) const {
    while (!text.empty()) {
      const std::string_view name = identifier_at(text);
      if (!name.empty() && texts_.contains(std::string(name))) {
        return true;
      }
      text.remove_prefix(std::max<std::size_t>(name.size(), 1));
    }
    return false;
  }

  std::map<std::string, std::set<std::string>> texts_;
  std::size_t count_ = 0;
};

class Scan {
 public:
  explicit Scan(const CompilerInput& input) : input_(input), folders_(input.folders()) {}

  void add_options(const std::vector<std::string>& options) {
    for (const std::string& folder : option_values(options, "-I", "--include-path")) {
      folders_.emplace_back(folder);
    }
    for (std::string definition : option_values(options, "-D", "--define-macro")) {
      if (const std::size_t equals = definition.find('='); equals != std::string::npos) {
        definition[equals] = ' ';
      }
      macros_.define(definition);
    }
    for (const std::string& name : option_values(options, "-include", "--pre-include")) {
      included_.emplace_back(name, fs::path("."));
    }
  }
  void define(const std::string& name, const std::string& value) { macros_.define(name + " " + value); }

  void add(const std::string& text, const fs::path& folder) {
    hash_.add(std::string_view(text));
    for (const std::string& line : logical_lines(text)) {
      if (const auto definition = after_directive(line, "define")) {
        macros_.define(*definition);
      }
      const auto included = after_directive(line, "include");
      if (!included) {
        continue;
      }
      const std::string_view what = included->starts_with("_next") ? trimmed(included->substr(5)) : *included;
      if (const auto name = literal_name(what)) {
        add_header(*name, folder);
      } else if (!identifier_at(what).empty()) {
        by_macro_.emplace_back(what, folder);
      }
    }
  }

  /// Follows what macros name, which is known only when all macros are.
  SourceScan finish() {
    std::size_t known = 0;
    do {
      known = macros_.count() + by_macro_.size();
      std::size_t next = 0;
      while (next < by_macro_.size()) {  // more are found on the way
        const auto [expression, folder] = by_macro_[next++];
        for (const std::string& name : macros_.headers(expression).value_or(std::vector<std::string>())) {
          add_header(name, folder);
        }
      }
      for (const auto& [name, folder] : std::exchange(included_, {})) {
        add_header(name, folder);
      }
    } while (known != macros_.count() + by_macro_.size());
    const auto open = std::find_if(by_macro_.begin(), by_macro_.end(),
                                   [&](const auto& use) { return !macros_.headers(use.first); });
    return {hash_.value(), open == by_macro_.end() ? std::string() : "#include " + open->first};
  }

 private:
  void add_header(const std::string& name, const fs::path& folder) {
    const auto embedded = std::find_if(input_.headers().begin(), input_.headers().end(),
                                       [&](const CudaSource::Header& header) { return header.name == name; });
    if (embedded != input_.headers().end()) {
      if (seen_.insert("<" + name).second) {
        hash_.add(std::string_view(name));
        add(embedded->text, {});
      }
      return;
    }
    bool found = add_file(name, folder);
    for (const fs::path& searched : folders_) {
      found = add_file(name, searched) || found;
    }
    std::error_code ignored;
    if (!found && !input_.cccl().empty() && fs::exists(input_.cccl() / name, ignored) &&
        seen_.insert("cccl").second) {
      hash_.add(std::string_view("cccl"));
      hash_.add(std::string_view(read(input_.cccl() / "cuda/std/__cccl/version.h").value_or("")));
    }
  }

  bool add_file(const std::string& name, const fs::path& folder) {
    const fs::path path = folder.empty() ? fs::path() : (folder / name).lexically_normal();
    if (path.empty() || seen_.contains(path.string())) {
      return !path.empty();
    }
    const auto text = read(path);
    if (text) {
      seen_.insert(path.string());
      hash_.add(std::string_view(name));
      add(*text, path.parent_path());
    }
    return text.has_value();
  }

  const CompilerInput& input_;
  std::vector<fs::path> folders_;
  Macros macros_;
  std::vector<std::pair<std::string, fs::path>> by_macro_;  ///< expression, and the folder of its file
  std::vector<std::pair<std::string, fs::path>> included_;  ///< by options
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

SourceScan scan_source(const CudaSource& source, const std::string& text, const CompilerInput& input,
                       const std::vector<CudaVariant>& variants) {
  Scan scan(input);
  scan.add_options(source.options());
  for (const CudaVariant& variant : variants) {
    scan.add_options(variant.options);
    for (const auto& [name, value] : variant.defines) {
      scan.define(name, value);
    }
  }
  scan.add(text, input.file().parent_path());
  SourceScan result = scan.finish();
  detail::StableHash hash;
  hash.add(result.digest);
  for (const std::string& option : source.options()) {
    hash.add(std::string_view(option));
  }
  result.digest = hash.value();
  return result;
}

}  // namespace contextual::cuda
