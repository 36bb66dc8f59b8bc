#include "contextual/storage/region_file.hpp"

#include "contextual/storage/choice_fields.hpp"

#include <nlohmann/json.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace contextual::storage {
namespace {

using Json = nlohmann::json;

constexpr int format = 6;

RegionFile file_of(const Json& json, const std::string& path) {
  if (const Json& version = json.at("format"); version != Json(format)) {
    throw std::runtime_error("its format is " + version.dump() + ", and this library reads " +
                             std::to_string(format));
  }
  check_fields(json, "it", {"format", "region", "pins", "sets"});
  RegionFile file{json.at("region").get<std::string>()};
  file.pins = pins_of(json.value("pins", Json::array()), path);
  const Json sets = json.value("sets", Json::array());
  for (const Json& set : sets.get_ref<const Json::array_t&>()) {
    try {
      ChoiceSet entry = entry_of(set);
      if (entry.region != file.region) {
        throw std::runtime_error("it is of region \"" + entry.region + "\"");
      }
      file.sets.push_back(std::move(entry));
    } catch (const std::exception& error) {  // nlohmann's are of many kinds
      file.damaged.emplace_back(error.what());
    }
  }
  return file;
}

}  // namespace

/// A set has a line, so that a person who looks for the pins does not have to pass by thousands of lines.
std::string to_json(const RegionFile& file) {
  Json head{{"format", format}, {"region", file.region}};
  if (!file.pins.empty()) {
    head["pins"] = json_of(file.pins);
  }
  std::string text = text_of(head, 1);
  text.resize(text.size() - std::string_view("\n}").size());
  text += ",\n \"sets\": [";
  for (std::size_t i = 0; i < file.sets.size(); ++i) {
    text.append(i == 0 ? "\n" : ",\n").append(to_json(file.sets[i]));
  }
  return text + "]\n}\n";
}

RegionFile parse_region(std::string_view text, const std::string& path) {
  return file_of(parsed_json(text), path);
}

std::string bundle_text(const std::vector<RegionFile>& files) {
  std::string text = "[";
  for (std::size_t i = 0; i < files.size(); ++i) {
    text.append(i == 0 ? "" : ",\n").append(to_json(files[i]));
  }
  return text + "]\n";
}

std::vector<RegionFile> parse_bundle(std::string_view text) {
  std::vector<RegionFile> files;
  const Json json = parsed_json(text);
  for (const Json& region : json.get_ref<const Json::array_t&>()) {
    files.push_back(file_of(region, {}));
    if (!files.back().damaged.empty()) {
      throw std::runtime_error("a set of region \"" + files.back().region +
                               "\": " + files.back().damaged.front());
    }
  }
  return files;
}

}  // namespace contextual::storage
