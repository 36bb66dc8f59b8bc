#include "contextual/storage/choice_store.hpp"

#include "contextual/config/utf8_text.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace contextual::storage {
namespace {

using detail::Machine;
using detail::TrustedFolder;

constexpr std::size_t longest_name = 100;
/// A choice has half a KiB. Longer files take seconds to read.
constexpr std::size_t longest_region = std::size_t{32} << 20U;
constexpr const char* ending = ".json";
constexpr char before_machine = '@';         ///< in no `file_name_of`
constexpr const char* pins_field = "\"pin";  ///< how that begins, also where it is misspelled
constexpr int attempts = 64;  ///< of which one writer succeeds each time, however many there are

/// The part of a file's name that stands for the region.
std::string region_part(const std::string& name) {
  return name.substr(0, std::min(name.find(before_machine), name.size() - std::string_view(ending).size()));
}

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

/// A file that was read. Nothing where there is none, or where there is a problem, which names the file.
struct Parsed {
  std::optional<RegionFile> file{};
  std::string problem{};
};

/// `is_right` says whether a file with this region may have this name.
Parsed parsed_of(const TrustedFolder::Reading& reading, const std::filesystem::path& path,
                 const std::function<bool(const std::string& region)>& is_right) {
  if (!reading.text) {
    return {{}, reading.refusal};
  }
  std::string problem;
  try {
    RegionFile file = parse_region(*reading.text, path.string());
    if (is_right(file.region)) {
      return {std::move(file)};
    }
    problem = "it is of region \"" + file.region + "\"";
  } catch (const std::exception& error) {  // nlohmann's are of many kinds
    problem = error.what();
  }
  return {{}, path.string() + " is not used: " + problem + "; mend it or remove it"};
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

ChoiceStore::ChoiceStore(const std::filesystem::path& directory, const std::string& region)
    : region_(region), folder_(directory, choices_folder) {}

std::string ChoiceStore::name_of_pins() const {
  return file_name_of(region_) + ending;
}

std::string ChoiceStore::name_of_sets(const std::vector<Machine>& machines) const {
  Machine kind = machines.empty() ? Machine() : detail::without_versions(machines.front());
  kind.erase(detail::processor_part);
  kind.erase(detail::ranks_on_machine);
  return file_name_of(region_) + before_machine + detail::hex_text(detail::machine_digest(kind)) + ending;
}

ChoiceStore::Kept ChoiceStore::read(const std::string& name) const {
  Kept kept{{region_}};
  const TrustedFolder::Reading reading = folder_.read(name, longest_region);
  Parsed parsed = parsed_of(reading, path(name),
                            [&](const std::string& region) { return region == detail::as_kept(region_); });
  const bool may_pin = name == name_of_pins();
  if (parsed.file) {
    kept.file = *std::move(parsed.file);
    if (!may_pin && !kept.file.pins.empty()) {
      kept.file.pins.clear();
      kept.pins_unknown = path(name).string() + " has pins, which belong in " + name_of_pins();
      kept.problems.push_back(kept.pins_unknown);
    }
  } else if (!parsed.problem.empty()) {
    kept.problems.push_back(parsed.problem);
    const bool pins_nothing = reading.text && reading.text->find(pins_field) == std::string::npos;
    if (may_pin && !pins_nothing && !reading.shortage && folder_.may_have(name)) {
      kept.pins_unknown = parsed.problem + "; so what is pinned in " + path(name).string() + " is not known";
    }
  }
  for (const std::string& damaged : kept.file.damaged) {
    kept.problems.push_back(path(name).string() + ": a set is not used: " + damaged);
  }
  return kept;
}

ChoiceStore::Kept ChoiceStore::read_all(const Machine& machine) const {
  Kept all{{region_}};
  std::vector<std::string> files{name_of_pins(), name_of_sets({machine})};
  for (FileOfRegion& file : files_in(folder_.root(), region_, all.problems)) {
    if (std::find(files.begin(), files.end(), file.name) == files.end()) {
      files.push_back(std::move(file.name));
    }
  }
  std::size_t of_this_machine = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    Kept kept = read(files[i]);
    std::move(kept.file.pins.begin(), kept.file.pins.end(), std::back_inserter(all.file.pins));
    std::move(kept.file.sets.begin(), kept.file.sets.end(), std::back_inserter(all.file.sets));
    for (std::string& problem : kept.problems) {  // of the folder, each file has the same one
      if (std::find(all.problems.begin(), all.problems.end(), problem) == all.problems.end()) {
        all.problems.push_back(std::move(problem));
      }
    }
    all.pins_unknown = all.pins_unknown.empty() ? std::move(kept.pins_unknown) : all.pins_unknown;
    of_this_machine = i < 2 ? all.file.sets.size() : of_this_machine;
  }
  std::stable_sort(all.file.sets.begin() + static_cast<std::ptrdiff_t>(of_this_machine), all.file.sets.end(),
                   [](const ChoiceSet& one, const ChoiceSet& other) { return one.written > other.written; });
  return all;
}

std::string ChoiceStore::change(const std::string& name,
                                const std::function<bool(RegionFile&)>& change) const {
  const auto is_own = [&](const std::string& region) { return region == detail::as_kept(region_); };
  for (int left = attempts;; --left) {
    const TrustedFolder::Reading before = folder_.read(name, longest_region);
    Parsed parsed = parsed_of(before, path(name), is_own);
    if (!parsed.problem.empty()) {
      return parsed.problem;
    }
    RegionFile file = std::move(parsed.file).value_or(RegionFile{region_});
    if (!change(file)) {
      return {};
    }
    if (file.pins.empty() && file.sets.empty()) {
      return folder_.remove(name);
    }
    bool lost = false;
    std::string problem = folder_.write(name, to_json(file), [&] {
      lost = left > 1 && folder_.read(name, longest_region).text != before.text;
      return !lost;
    });
    if (!lost) {
      return problem;
    }
  }
}

std::string ChoiceStore::save(const ChoiceSet& entry, const Present& now,
                              const std::vector<ChoiceSet>& shipped) const {
  return change(name_of_sets(entry.machines), [&](RegionFile& file) {
    add_newest(file.sets, entry, now, shipped);
    return true;
  });
}

std::vector<FileOfRegion> files_in(const std::filesystem::path& directory,
                                   const std::optional<std::string>& region,
                                   std::vector<std::string>& problems) {
  const TrustedFolder all(directory, choices_folder);
  std::string refusal;
  std::vector<std::string> names = all.files(ending, &refusal);
  if (!refusal.empty()) {
    problems.push_back(refusal);
  }
  std::sort(names.begin(), names.end());
  std::vector<FileOfRegion> files;
  for (std::string& name : names) {
    const std::string part = region_part(name);
    if (region) {
      if (part == file_name_of(*region)) {
        files.push_back({*region, std::move(name)});
      }
      continue;
    }
    // The file has the name of a region that is not UTF-8 with other bytes replaced.
    std::string named = text_of_file_name(part);
    const Parsed parsed =
        parsed_of(all.read(name, longest_region), all.path() / name, [&](const std::string& in_file) {
          named = file_name_of(in_file) == part ? in_file : named;
          return file_name_of(named) == part && detail::as_kept(named) == in_file;
        });
    if (parsed.file) {
      files.push_back({std::move(named), std::move(name)});
    } else if (!parsed.problem.empty()) {
      problems.push_back(parsed.problem);
    }
  }
  std::stable_sort(files.begin(), files.end(), [](const FileOfRegion& one, const FileOfRegion& other) {
    return one.region < other.region;
  });
  return files;
}

}  // namespace contextual::storage
