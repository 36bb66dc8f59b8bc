#include "contextual/storage/region_file.hpp"

#include "contextual/storage/choice_fields.hpp"
#include "contextual/storage/choice_purpose.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace contextual::storage {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 5;

Json json_of(const RegionFile& file) {
  Json json{{"format", format}, {"region", file.region}};
  if (!file.pins.empty()) {
    json["pins"] = storage::json_of(file.pins);
  }
  Json sets = Json::array();
  for (const ChoiceSet& set : file.sets) {
    sets.push_back(json_of(set));
  }
  json["sets"] = std::move(sets);
  return json;
}

void add_set(const Json& json, RegionFile& file) {
  try {
    ChoiceSet set = entry_of(json);
    if (set.region != file.region) {
      throw std::runtime_error("it is of region \"" + set.region + "\"");
    }
    file.sets.push_back(std::move(set));
  } catch (const std::exception& error) {  // nlohmann's are of many kinds
    file.damaged.emplace_back(error.what());
  }
}

RegionFile file_of(const Json& json, const std::string& path) {
  if (const Json& version = json.at("format"); version != Json(format)) {
    throw std::runtime_error("its format is " + version.dump() + ", and this library reads " +
                             std::to_string(format));
  }
  check_fields(json, "it", {"format", "region", "pins", "sets"});
  RegionFile file{json.at("region").get<std::string>()};
  if (json.contains("pins")) {
    file.pins = pins_of(json.at("pins"), path);
  }
  if (json.contains("sets")) {
    for (const Json& set : json.at("sets").get_ref<const Json::array_t&>()) {
      add_set(set, file);
    }
  }
  return file;
}

}  // namespace

std::string to_json(const RegionFile& file) {
  return text_of(json_of(file)) + "\n";
}

ParsedRegion parse_region(std::string_view text, const std::string& path) {
  try {
    return {file_of(parsed_json(text), path), {}};
  } catch (const std::exception& error) {  // nlohmann's are of many kinds
    return {std::nullopt, error.what()};
  }
}

std::string bundle_text(const std::vector<RegionFile>& files) {
  Json regions = Json::array();
  for (const RegionFile& file : files) {
    regions.push_back(json_of(file));
  }
  return text_of(regions) + "\n";
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

bool insert_set(std::vector<ChoiceSet>& sets, std::size_t place, const ChoiceSet& entry) {
  const ChoicePurpose purpose(entry);
  const auto begin = sets.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(place);
  if (std::any_of(begin, at,
                  [&](const ChoiceSet& newer) { return ChoicePurpose(newer).replaces(purpose); })) {
    return false;
  }
  std::size_t competing = 0;
  sets.erase(std::remove_if(at, sets.end(),
                            [&](const ChoiceSet& set) {
                              const ChoicePurpose older(set);
                              return purpose.replaces(older) ||
                                     (purpose.competes_with(older) && ++competing > most_competing);
                            }),
             sets.end());
  sets.insert(sets.begin() + static_cast<std::ptrdiff_t>(place), entry);
  return true;
}

}  // namespace contextual::storage
