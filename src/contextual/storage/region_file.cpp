#include "contextual/storage/region_file.hpp"

#include "contextual/storage/choice_fields.hpp"
#include "contextual/storage/choice_purpose.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace contextual::storage {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 5;

/// Sets of this process's texts, so that a file of many is neither parsed nor made anew for each new one.
class KnownSets {
 public:
  /// A forked process begins anew: who held the lock may not exist there.
  static KnownSets& of_this_process() {
    static std::atomic<KnownSets*> current{nullptr};  // none is ever destroyed
    KnownSets* known = current.load();
    while (known == nullptr || known->owner_ != ::getpid()) {
      current.compare_exchange_strong(known, new KnownSets);
      known = current.load();
    }
    return *known;
  }

  std::shared_ptr<const ChoiceSet> find(std::string_view text) {
    const std::lock_guard lock(mutex_);
    const auto found = by_text_.find(text);
    return found == by_text_.end() ? nullptr : found->second;
  }

  void add(std::string text, const ChoiceSet& set) {
    const std::uint64_t digest = digest_of(set);
    auto kept = std::make_shared<const ChoiceSet>(set);
    const std::size_t size = text.size();
    const std::lock_guard lock(mutex_);
    if (bytes_ + size > most_bytes) {
      by_digest_.clear();
      by_text_.clear();
      bytes_ = 0;
    }
    const auto [at, fresh] = by_text_.insert_or_assign(std::move(text), std::move(kept));
    bytes_ += fresh ? size : 0;
    by_digest_.insert_or_assign(digest, at);
  }

  std::string text_of(const ChoiceSet& set) {
    const std::uint64_t digest = digest_of(set);
    {
      const std::lock_guard lock(mutex_);
      const auto found = by_digest_.find(digest);
      if (found != by_digest_.end() && *found->second->second == set) {
        return found->second->first;
      }
    }
    std::string text = storage::json_of(set).dump(-1, ' ', false, Json::error_handler_t::replace);
    if (const ParsedEntry as_kept = parse_entry(text); as_kept.entry) {
      add(text, *as_kept.entry);
    }
    return text;
  }

 private:
  using ByText = std::map<std::string, std::shared_ptr<const ChoiceSet>, std::less<>>;

  static constexpr std::size_t most_bytes = std::size_t{32} << 20U;

  /// Also of what equality leaves out.
  static std::uint64_t digest_of(const ChoiceSet& set) {
    detail::StableHash hash;
    hash.add(std::string_view(set.region)).add(std::string_view(set.written));
    for (const KeptChoice& choice : set.choices) {
      hash.add(choice_digest(choice));
      for (const ChosenKernel& kernel : choice.launched) {
        hash.add(std::string_view(kernel.origin));
      }
    }
    return hash.value();
  }

  const pid_t owner_ = ::getpid();
  std::mutex mutex_;
  ByText by_text_;
  std::unordered_map<std::uint64_t, ByText::const_iterator> by_digest_;
  std::size_t bytes_ = 0;
};

/// In front of the sets, of which each has a line, and behind them.
constexpr std::string_view before_sets = "\n \"sets\": [";
constexpr std::string_view after_sets = "]\n}\n";

Json head_of(const RegionFile& file) {
  Json json{{"format", format}, {"region", file.region}};
  if (!file.pins.empty()) {
    json["pins"] = storage::json_of(file.pins);
  }
  return json;
}

Json json_of(const RegionFile& file) {
  Json json = head_of(file);
  Json sets = Json::array();
  for (const ChoiceSet& set : file.sets) {
    sets.push_back(json_of(set));
  }
  json["sets"] = std::move(sets);
  return json;
}

void add_set(const std::function<ChoiceSet()>& parsed, RegionFile& file) {
  try {
    ChoiceSet set = parsed();
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
      add_set([&set] { return entry_of(set); }, file);
    }
  }
  return file;
}

/// Parses a text whose sets have a line each, as `to_json` leaves it. Throws for any other one: its lines may
/// be parts of something else.
RegionFile by_lines(std::string_view text, const std::string& path) {
  const std::size_t begin = text.find(before_sets);
  if (begin == std::string_view::npos || !text.ends_with(after_sets)) {
    throw std::runtime_error("it is not by lines");
  }
  std::string_view lines = text.substr(begin + before_sets.size());
  lines.remove_suffix(std::min(lines.size(), after_sets.size()));
  const std::string head(text.substr(0, begin + before_sets.size()));
  RegionFile file = file_of(parsed_json(head + std::string(after_sets)), path);
  KnownSets& known = KnownSets::of_this_process();
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n', 1), lines.size());
    const bool last = end == lines.size();
    if (lines.front() != '\n' || (!last && lines[end - 1] != ',')) {
      throw std::runtime_error("a line is no set");
    }
    const std::string_view line = lines.substr(1, end - (last ? 1 : 2));
    lines.remove_prefix(end);
    if (const auto set = known.find(line)) {
      add_set([&] { return *set; }, file);
      continue;
    }
    const Json json = parsed_json(line);
    add_set(
        [&] {
          ChoiceSet set = entry_of(json);
          known.add(std::string(line), set);
          return set;
        },
        file);
  }
  return file;
}

}  // namespace

std::string to_json(const RegionFile& file) {
  std::string text = text_of(head_of(file));
  text.resize(text.size() - std::string_view("\n}").size());
  text.append(",").append(before_sets);
  for (std::size_t i = 0; i < file.sets.size(); ++i) {
    text.append(i == 0 ? "\n" : ",\n").append(KnownSets::of_this_process().text_of(file.sets[i]));
  }
  return text.append(after_sets);
}

ParsedRegion parse_region(std::string_view text, const std::string& path) {
  try {
    return {by_lines(text, path), {}};
  } catch (const std::exception&) {
    // What a person has changed, or what is damaged.
  }
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
