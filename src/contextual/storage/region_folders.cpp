#include "contextual/storage/region_folders.hpp"

#include "contextual/storage/choice_entry.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/pin.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace contextual::storage {
namespace {

using detail::TrustedFolder;

/// The inverse of `file_name_of` where that has not cut the text.
std::string unescaped(std::string_view name) {
  constexpr std::size_t escaped_length = 3;
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const std::string_view code = name.substr(i, escaped_length);
    const bool escape = code.size() == escaped_length && code[0] == '%' &&
                        code.find_first_not_of("0123456789ABCDEF", 1) == std::string_view::npos;
    if (escape) {
      text += static_cast<char>(std::stoi(std::string(code.substr(1)), nullptr, 16));
      i += escaped_length - 1;
    } else {
      text += name[i];
    }
  }
  return text;
}

std::optional<std::string> region_of(const TrustedFolder& folder, const std::string& name) {
  for (const std::string& plain : {unescaped(name), std::string()}) {
    if (file_name_of(plain) == name) {
      return plain;
    }
  }
  for (const std::string& file : folder.files(entry_ending).names) {
    const TrustedFolder::Reading reading = folder.read(file);
    const ParsedEntry parsed = parse_entry(reading.text.value_or(""));
    if (parsed.entry && file_name_of(parsed.entry->region) == name) {
      return parsed.entry->region;
    }
  }
  for (const std::string& file : folder.files(pin_ending).names) {
    const std::string region = pinned_region(folder.read(file).text.value_or(""));
    if (file_name_of(region) == name) {
      return region;
    }
  }
  return std::nullopt;
}

/// Of a folder that says no region. Returns what is wrong with that, or an empty text if it surely has
/// neither choices nor pins.
std::string problem_of_unnamed(const TrustedFolder& folder) {
  for (const std::string_view ending : {entry_ending, pin_ending}) {
    const TrustedFolder::Listing listing = folder.files(ending);
    if (!listing.refusal.empty()) {
      return listing.refusal;
    }
    if (!listing.names.empty()) {
      return folder.path().string() + ": nothing in it says which region it is of";
    }
  }
  return {};
}

}  // namespace

Regions regions_in(const std::filesystem::path& directory) {
  Regions regions;
  const auto believed = [&](const TrustedFolder& folder) {
    const std::string refusal = folder.refusal();
    if (!refusal.empty()) {
      regions.problems.push_back(refusal);
    }
    return refusal.empty();
  };
  const TrustedFolder all(directory, choices_folder);
  if (!believed(all)) {
    return regions;
  }
  // Also what is no folder: it may hide choices and pins of a region, and `refusal` says so.
  const TrustedFolder::Listing listing = all.files({});
  if (!listing.refusal.empty()) {
    regions.problems.push_back(listing.refusal);
  }
  for (const std::string& name : listing.names) {
    const TrustedFolder folder(directory, std::filesystem::path(choices_folder) / name);
    if (!believed(folder)) {
      continue;
    }
    if (const std::optional<std::string> region = region_of(folder, name)) {
      regions.names.push_back(*region);
    } else if (const std::string problem = problem_of_unnamed(folder); problem.empty()) {
      regions.unnamed.push_back(name);
    } else {
      regions.problems.push_back(problem);
    }
  }
  std::sort(regions.names.begin(), regions.names.end());
  std::sort(regions.unnamed.begin(), regions.unnamed.end());
  return regions;
}

}  // namespace contextual::storage
