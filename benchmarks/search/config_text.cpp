#include "search/config_text.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>

namespace search_replay {
namespace {

void set(contextual::Config& config, const std::string& name, const std::string& value) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) {
    config.set(name, number);
  } else if (value == "true" || value == "false") {
    config.set(name, value == "true");
  } else {
    config.set(name, value);
  }
}

}  // namespace

contextual::Config config_of_text(const std::string& text) {
  const auto fail = [&] {
    throw contextual::InvalidArgument("no config of the form {NAME: value}: " + text);
  };
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') {
    fail();
  }
  contextual::Config config;
  const std::string separator = ", ";
  const std::string body = text.substr(1, text.size() - 2);
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = std::min(body.find(separator, begin), body.size());
    const std::string entry = body.substr(begin, end - begin);
    const std::size_t colon = entry.find(": ");
    if (colon == std::string::npos) {
      fail();
    }
    set(config, entry.substr(0, colon), entry.substr(colon + 2));
    begin = end + separator.size();
  }
  return config;
}

}  // namespace search_replay
