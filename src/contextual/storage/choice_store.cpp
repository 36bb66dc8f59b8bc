#include "contextual/storage/choice_store.hpp"

#include "contextual/config/utf8_text.hpp"
#include "contextual/storage/choice_purpose.hpp"
#include "contextual/storage/file_lock.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace contextual::storage {
namespace {

using detail::TrustedFolder;

constexpr std::size_t longest_name = 120;
/// A set of one problem has 1 KiB or two. Longer ones take seconds to read.
constexpr std::size_t longest_region = std::size_t{32} << 20U;
constexpr const char* ending = ".json";
constexpr const char* pins_field = "\"pin";  ///< how that begins, also where it is misspelled

/// What the layout before this one, a folder a region, has left of it. A pin there must not be passed over.
void note_former_layout(const TrustedFolder& folder, ChoiceStore::Kept& kept) {
  const TrustedFolder::Listing listing = folder.files({});
  bool pins = std::any_of(listing.names.begin(), listing.names.end(),
                          [](const std::string& name) { return name.ends_with(".pin"); });
  if (!listing.refusal.empty()) {
    // Otherwise it may be the same problem, with what is around it.
    pins = kept.problems.empty() && !listing.shortage;
    kept.problems.push_back(listing.refusal);
  } else if (!listing.names.empty()) {
    kept.problems.push_back(folder.path().string() + " is not used: it is of an older version" +
                            (pins ? ", and pins something: pin that again, and remove the folder" : ""));
  }
  if (pins && kept.pins_unknown.empty()) {
    kept.pins_unknown = kept.problems.back();
  }
}

/// The choice as an entry has it, or null.
const KeptChoice* find_choice(const ChoiceSet& entry, std::uint64_t digest) {
  const auto found = std::find_if(entry.choices.begin(), entry.choices.end(),
                                  [&](const KeptChoice& kept) { return choice_digest(kept) == digest; });
  return found == entry.choices.end() ? nullptr : &*found;
}

void add_infeasible(const std::vector<Infeasible>& known, ChoiceSet& entry) {
  for (const Infeasible& one : known) {
    const bool is_new =
        std::find(entry.infeasible.begin(), entry.infeasible.end(), one) == entry.infeasible.end();
    if (is_new && entry.infeasible.size() < most_infeasible) {
      entry.infeasible.push_back(one);
    }
  }
}

/// What was known to be infeasible when they were chosen comes along.
void take_over_reasons(const std::vector<ChoiceSet>& from, ChoiceSet& entry) {
  for (const ChoiceSet& earlier : from) {
    bool found = false;
    for (KeptChoice& choice : entry.choices) {
      const bool may = choice.reused && earlier.machines == entry.machines;
      const KeptChoice* kept = may ? find_choice(earlier, choice_digest(choice)) : nullptr;
      if (kept != nullptr) {
        choice.reason = kept->reason;
        choice.time_ns = kept->time_ns;
        choice.time_spread_ns = kept->time_spread_ns;
        choice.reused = false;  // the newest one counts
        found = true;
      }
    }
    if (found) {
      add_infeasible(earlier.infeasible, entry);
    }
  }
}

/// Names the file where there is a problem.
ParsedRegion parsed_of(const TrustedFolder::Reading& reading, const std::filesystem::path& path,
                       const std::function<bool(const std::string& region)>& is_right) {
  if (!reading.text) {
    return {std::nullopt, reading.refusal, reading.shortage};
  }
  ParsedRegion parsed = parse_region(*reading.text, path.string());
  if (parsed.file && !is_right(parsed.file->region)) {
    parsed = {std::nullopt, "it is of region \"" + parsed.file->region + "\""};
  }
  if (!parsed.file) {
    parsed.problem = path.string() + " is not used: " + parsed.problem;
  }
  return parsed;
}

}  // namespace

std::string file_name_of(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    std::array<char, 4> escaped{};
    std::snprintf(escaped.data(), escaped.size(), "%%%02X", static_cast<unsigned char>(c));
    name += plain ? std::string(1, c) : escaped.data();
  }
  if (name.size() > longest_name) {
    name = name.substr(0, longest_name - 17) + "." +
           detail::hex_text(detail::StableHash().add(std::string_view(text)).value());
  }
  return name.empty() ? "%" : name;
}

namespace {

/// The text that file_name_of stands for; another one where its end is a digest.
std::string text_of_file_name(const std::string& name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool escaped = name[i] == '%' && i + 2 < name.size();
    text += escaped ? static_cast<char>(std::strtoul(name.substr(i + 1, 2).c_str(), nullptr, 16)) : name[i];
    i += escaped ? 2 : 0;
  }
  return text;
}

}  // namespace

ChoiceStore::ChoiceStore(const std::filesystem::path& directory, const std::string& region)
    : region_(region), folder_(directory, choices_folder), name_(file_name_of(region) + ending) {}

/// Neither a file nor a problem where there is none.
ParsedRegion ChoiceStore::parsed() const {
  return parsed_of(folder_.read(name_, longest_region), path(),
                   [&](const std::string& region) { return region == detail::as_kept(region_); });
}

ChoiceStore::Kept ChoiceStore::read() const {
  Kept kept{{region_}};
  ParsedRegion parsed = this->parsed();
  if (parsed.file) {
    kept.file = *std::move(parsed.file);
    for (const std::string& damaged : kept.file.damaged) {
      kept.problems.push_back(path().string() + ": a set is not used: " + damaged);
    }
  } else if (!parsed.problem.empty()) {
    kept.problems.push_back(parsed.problem);
    if (!parsed.shortage && folder_.may_contain(name_, pins_field)) {
      kept.pins_unknown = parsed.problem + "; so what is pinned in " + path().string() + " is not known";
    }
  }
  const std::filesystem::path former = std::filesystem::path(choices_folder) / file_name_of(region_);
  note_former_layout({folder_.root(), former}, kept);
  return kept;
}

std::string ChoiceStore::change(const std::function<bool(RegionFile&)>& change) const {
  const Opened lock = lock_writers(folder_);
  if (!lock.descriptor.open()) {
    return lock.refusal;
  }
  ParsedRegion parsed = this->parsed();
  if (!parsed.problem.empty()) {
    return parsed.problem;
  }
  RegionFile file = std::move(parsed.file).value_or(RegionFile{region_});
  if (!change(file)) {
    return {};
  }
  if (file.pins.empty() && file.sets.empty()) {
    return folder_.remove(name_);
  }
  const std::string text = to_json(file);
  return text.size() <= longest_region
             ? folder_.write(name_, text)
             : path().string() + " would have more than " + std::to_string(longest_region) + " bytes";
}

std::string ChoiceStore::save(ChoiceSet entry, const std::vector<ChoiceSet>& elsewhere) const {
  return change([&](RegionFile& file) {
    take_over_reasons(file.sets, entry);
    take_over_reasons(elsewhere, entry);
    return insert_set(file.sets, 0, entry);
  });
}

Regions regions_in(const std::filesystem::path& directory) {
  Regions regions;
  const TrustedFolder all(directory, choices_folder);
  const TrustedFolder::Listing listing = all.files({});
  if (!listing.refusal.empty()) {
    regions.problems.push_back(listing.refusal);
  }
  for (const std::string& name : listing.names) {
    const std::filesystem::path path = all.path() / name;
    if (!name.ends_with(ending)) {
      regions.problems.push_back(path.string() + " is not used: it is of an older version, or no region's");
      continue;
    }
    // The file has the name of a region that is not UTF-8 with other bytes replaced.
    const std::string named =
        text_of_file_name(name.substr(0, name.size() - std::string_view(ending).size()));
    bool is_text = false;
    const ParsedRegion parsed =
        parsed_of(all.read(name, longest_region), path, [&](const std::string& region) {
          is_text = file_name_of(region) + ending == name;
          return is_text || (file_name_of(named) + ending == name && detail::as_kept(named) == region);
        });
    if (parsed.file) {
      regions.names.push_back(is_text ? parsed.file->region : named);
    } else if (!parsed.problem.empty()) {
      regions.problems.push_back(parsed.problem);
    }
  }
  std::sort(regions.names.begin(), regions.names.end());
  std::sort(regions.problems.begin(), regions.problems.end());
  return regions;
}

}  // namespace contextual::storage
