#pragma once

/// \file
/// What is kept of one region, as one text. Pure.

#include "contextual/storage/choice_set.hpp"
#include "contextual/storage/pin.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::storage {

/// The pins and the sets of a region.
struct RegionFile {
  std::string region;
  std::vector<Pin> pins{};
  std::vector<ChoiceSet> sets{};       ///< the newest first
  std::vector<std::string> damaged{};  ///< why sets of the text are left out; not written
};

std::string to_json(const RegionFile& file);

/// A text that was read, or why it is none of a region.
struct ParsedRegion {
  std::optional<RegionFile> file;
  std::string problem;
  bool shortage = false;  ///< see detail::TrustedFolder::Reading
};

/// Accepts what `to_json` returns and what a person makes of its pins. Leaves out a set that is damaged, or
/// of another region. `path` is for messages.
ParsedRegion parse_region(std::string_view text, const std::string& path);

/// Several regions in one text, to carry them to another directory.
std::string bundle_text(const std::vector<RegionFile>& files);
/// Throws std::runtime_error, or nlohmann's exceptions, if anything in the text is damaged.
std::vector<RegionFile> parse_bundle(std::string_view text);

/// The most sets of other programs and builds beside a newer one: every build of a program leaves one.
inline constexpr std::size_t most_competing = 16;

/// Adds the set in front of the one at `place`, unless one before it replaces it, and removes those behind it
/// that it replaces, or competes with beyond `most_competing` (see ChoicePurpose). Returns true if it was
/// added.
bool insert_set(std::vector<ChoiceSet>& sets, std::size_t place, const ChoiceSet& entry);

}  // namespace contextual::storage
