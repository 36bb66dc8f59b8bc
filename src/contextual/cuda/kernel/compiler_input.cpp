#include "contextual/cuda/kernel/compiler_input.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

namespace contextual::cuda {
namespace {

namespace fs = std::filesystem;

/// /dev/null is no folder, so nothing is ever found beside a file in it.
constexpr const char* nowhere = "/dev/null/";

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : on_one_line(text)) {
    result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return result + "\"";
}

std::string name_before(const std::string& definition, char end) {
  return definition.substr(0, definition.find(end));
}

}  // namespace

CompilerInput::CompilerInput(const CudaSource& source, fs::path cccl)
    : file_(source.path().empty() ? fs::path() : fs::absolute(source.path())),
      name_(file_.empty() ? nowhere + source.name() : file_.string()),
      shown_name_(file_.empty() ? source.name() : name_),
      cccl_(std::move(cccl)) {
  for (const CudaSource::Header& header : source.headers()) {
    headers_.push_back({header.name, without_own_folder(header.text)});
  }
  if (!file_.empty()) {
    folders_.push_back(file_.parent_path());
  }
  for (const fs::path& directory : source.include_directories()) {
    folders_.push_back(fs::absolute(directory));
  }
}

std::string CompilerInput::text_with(const CudaVariant& variant, const std::string& text) const {
  std::string all;
  for (const auto& [name, value] : variant.defines) {
    all += "#define " + on_one_line(name) + " " + on_one_line(value) + "\n";
  }
  return all + "#line 1" + (file_.empty() ? " " + quoted(shown_name_) : "") + "\n" + text;
}

std::vector<std::string> option_values(const std::vector<std::string>& options, std::string_view short_form,
                                       std::string_view long_form) {
  std::vector<std::string> values;
  bool is_next = false;
  for (const std::string& option : options) {
    const std::string_view form = option.starts_with(long_form) ? long_form : short_form;
    if (is_next) {
      values.push_back(option);
      is_next = false;
    } else if (option == short_form || option == long_form) {
      is_next = true;
    } else if (option.starts_with(std::string(form) + "=")) {
      values.push_back(option.substr(form.size() + 1));
    } else if (option.starts_with(short_form)) {
      values.push_back(option.substr(short_form.size()));
    }
  }
  return values;
}

std::vector<std::string> macro_names(const CudaSource& source, const CudaVariant& variant) {
  std::vector<std::string> names;
  std::transform(variant.defines.begin(), variant.defines.end(), std::back_inserter(names),
                 [](const auto& macro) { return name_before(macro.first, '('); });
  for (const auto* options : {&source.options(), &variant.options}) {
    for (const std::string& definition : option_values(*options, "-D", "--define-macro")) {
      names.push_back(name_before(name_before(definition, '='), '('));
    }
  }
  return names;
}

std::string without_own_folder(std::string_view text) {
  std::string result;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    const bool is_directive = hash != std::string::npos && line[hash] == '#';
    const std::size_t word = is_directive ? line.find_first_not_of(" \t", hash + 1) : std::string::npos;
    if (word != std::string::npos && line.compare(word, 7, "include") == 0) {
      const std::size_t open = line.find_first_not_of(" \t", word + 7);
      const std::size_t close =
          open != std::string::npos && line[open] == '"' ? line.find('"', open + 1) : std::string::npos;
      if (close != std::string::npos) {
        line[open] = '<';
        line[close] = '>';
      }
    }
    result += line + "\n";
  }
  return result;
}

}  // namespace contextual::cuda
