#include "contextual/storage/choice_fields.hpp"

#include <set>
#include <stdexcept>
#include <vector>

using Json = nlohmann::json;

Json contextual::storage::parsed_json(std::string_view text) {
  constexpr int deepest = 16;
  std::vector<std::set<std::string>> fields(deepest + 2);  ///< by level, of the object that is open there
  return Json::parse(text.begin(), text.end(), [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > deepest) {
      throw std::runtime_error("it has more levels than a file of kept choices");
    }
    const auto level = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) {
      fields[level + 1].clear();
    } else if (event == Json::parse_event_t::key && !fields[level].insert(parsed.get<std::string>()).second) {
      throw std::runtime_error("it has the field " + parsed.dump() + " twice");
    }
    return true;
  });
}
