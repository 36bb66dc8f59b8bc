#include "contextual/cuda/kernel/compiler_log.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace contextual::cuda {
namespace {

std::set<std::string> words_of(const std::string& text) {
  static const std::regex word("[A-Za-z_][A-Za-z0-9_]*");
  std::set<std::string> words;
  for (std::sregex_iterator found(text.begin(), text.end(), word), end; found != end; ++found) {
    words.insert(found->str());
  }
  return words;
}

/// Empty for a header inside of NVRTC.
std::string text_of(const std::string& header, const CompilerInput& input) {
  for (const CudaSource::Header& embedded : input.headers()) {
    if (embedded.name == header) {
      return embedded.text;
    }
  }
  std::ifstream file(header, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The lines that the compiler shows of each header in which it failed: below "name(line): error".
std::map<std::string, std::string> failed_headers(const std::string& log, const CompilerInput& input) {
  static const std::regex failure(R"((.+)\(\d+\): (catastrophic )?error.*)");
  std::map<std::string, std::string> shown;
  std::istringstream lines(log);
  std::smatch parts;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, parts, failure) && parts[1] != input.shown_name()) {
      std::string below;
      const std::string header = parts[1];
      std::getline(lines, below);
      shown[header] += below + "\n";
    }
  }
  return shown;
}

/// In the order of `macros`, each once.
std::vector<std::string> among(const std::set<std::string>& words, const std::vector<std::string>& macros) {
  std::vector<std::string> found;
  for (const std::string& macro : macros) {
    if (words.contains(macro) && std::find(found.begin(), found.end(), macro) == found.end()) {
      found.push_back(macro);
    }
  }
  return found;
}

}  // namespace

std::string broken_headers(const std::string& log, const CompilerInput& input,
                           const std::vector<std::string>& macros) {
  std::string text;
  for (const auto& [header, shown] : failed_headers(log, input)) {
    std::vector<std::string> names = among(words_of(shown), macros);
    if (names.empty()) {
      names = among(words_of(text_of(header, input)), macros);
    }
    if (!names.empty()) {
      std::string list;
      for (const std::string& name : names) {
        list += list.empty() ? "\"" : ", \"";
        list += name;
        list += '"';
      }
      const bool one = names.size() == 1;
      text.append("Header \"").append(header).append(one ? "\" uses the name " : "\" uses the names ");
      text.append(list).append(one ? ", which is a macro" : ", which are macros");
      text.append(" of this config and replaced there: give ");
      text.append(one ? "the macro another name\n" : "the macros other names\n");
    }
  }
  return text;
}

}  // namespace contextual::cuda
