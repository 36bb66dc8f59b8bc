#include "contextual/storage/choice_bundle.hpp"

#include "contextual/storage/choice_fields.hpp"
#include "contextual/storage/choice_store.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <utility>

namespace contextual::storage {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kind = "contextual choices";
constexpr int bundle_format = 1;

}  // namespace

std::string bundle_text(const std::vector<BundledEntry>& entries) {
  Json sets = Json::array();
  for (const BundledEntry& bundled : entries) {
    sets.push_back({{"file", bundled.file}, {"entry", Json::parse(to_json(bundled.entry))}});
  }
  return Json({{"kind", kind}, {"format", bundle_format}, {"sets", std::move(sets)}}).dump(1) + "\n";
}

std::vector<BundledEntry> parse_bundle(std::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), refuse_depth);
  if (json.at("kind").get<std::string>() != kind || json.at("format").get<int>() != bundle_format) {
    throw std::runtime_error("it is no text of kind \"" + std::string(kind) + "\" and format " +
                             std::to_string(bundle_format));
  }
  std::vector<BundledEntry> entries;
  for (const Json& set : json.at("sets").get_ref<const Json::array_t&>()) {
    const auto file = set.at("file").get<std::string>();
    if (!written_at(file)) {
      throw std::runtime_error("\"" + file + "\" is no name of a file of choices");
    }
    ParsedEntry parsed = parse_entry(set.at("entry").dump());
    if (!parsed.entry) {
      throw std::runtime_error("set \"" + file + "\": " + parsed.problem);
    }
    entries.push_back({file, *std::move(parsed.entry)});
  }
  return entries;
}

}  // namespace contextual::storage
