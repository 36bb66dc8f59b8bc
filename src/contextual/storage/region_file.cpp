#include "contextual/storage/region_file.hpp"

#include "contextual/storage/choice_fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace contextual::storage {
namespace {

using Json = nlohmann::json;

constexpr int format = 6;

constexpr std::string_view no_sets = "\"sets\": []";
constexpr std::string_view before_sets = no_sets.substr(0, no_sets.size() - 1);

}  // namespace

std::string list_text(const std::vector<ChoiceSet>& sets) {
  std::string text = "[";
  for (std::size_t i = 0; i < sets.size(); ++i) {
    text.append(i == 0 ? "\n" : ",\n").append(to_json(sets[i]));
  }
  return text.append("]\n");
}

std::vector<std::string_view> texts_in(std::string_view list) {
  list = list.substr(0, list.find_last_of(']') + 1);
  if (!list.starts_with('[')) {
    return {list};
  }
  std::vector<std::string_view> texts;
  for (std::size_t end = 1; end + 1 < list.size();) {
    const std::size_t begin = end + 1;
    end = std::min(list.find('\n', begin), list.size());
    texts.push_back(list.substr(begin, end - begin - 1));
  }
  return texts;
}

std::string to_json(const RegionFile& file) {
  Json head{{"format", format}, {"region", file.region}};
  if (!file.pins.empty()) {
    head["pins"] = json_of(file.pins);
  }
  std::string text = text_of(head, 1);
  text.resize(text.size() - std::string_view("\n}").size());
  return text.append(",\n \"sets\": ").append(list_text(file.sets)).append("}\n");
}

RegionFile parse_region(std::string_view text, const std::string& path) {
  const std::size_t begin = std::min(text.find(before_sets), text.size());
  const std::size_t end = text.substr(begin).starts_with(no_sets)
                              ? begin + no_sets.size()
                              : std::max(begin, text.find_last_of(']') + 1);
  const std::string_view sets = text.substr(begin, end - begin);
  const std::string without =
      std::string(text.substr(0, begin)).append(sets.empty() ? "" : no_sets).append(text.substr(end));
  const Json json = parsed_json(without);
  if (const Json& version = json.at("format"); version != Json(format)) {
    throw std::runtime_error("its format is " + version.dump() + ", and this library reads " +
                             std::to_string(format));
  }
  check_fields(json, "it", {"format", "region", "pins", "sets"});
  RegionFile file{json.at("region").get<std::string>()};
  file.pins = pins_of(json.value("pins", Json::array()), path);
  if (sets.empty() && json.value("sets", Json::array()).empty()) {
    return file;
  }
  for (const std::string_view set : texts_in(sets.substr(std::min(before_sets.size() - 1, sets.size())))) {
    try {
      ChoiceSet entry = entry_of(set);
      if (entry.region != file.region) {
        throw std::runtime_error("it is of region \"" + entry.region + "\"");
      }
      file.sets.push_back(std::move(entry));
    } catch (const std::exception& error) {  // nlohmann's are of many kinds
      if (set.find("\"pins\":") != std::string_view::npos) {
        throw std::runtime_error("its pins belong before its sets");
      }
      file.damaged.emplace_back(error.what());
    }
  }
  return file;
}

}  // namespace contextual::storage
