#pragma once

/// \file
/// What is kept of one region, as one text. Pure.

#include "contextual/storage/choice_set.hpp"
#include "contextual/storage/pin.hpp"

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

/// Returns a list of sets as JSON. Each has a line, so that a person who looks for the pins does not have to
/// pass by thousands.
std::string list_text(const std::vector<ChoiceSet>& sets);
/// Returns the texts of the sets in such a list, whatever is behind it. Of another text, one that is no set.
std::vector<std::string_view> texts_in(std::string_view list);

std::string to_json(const RegionFile& file);

/// Accepts what `to_json` returns and what a person makes of its pins. Leaves out a set that is damaged, or
/// of another region, or whose line a person has changed. `path` is for messages. Throws std::runtime_error,
/// or nlohmann's exceptions.
RegionFile parse_region(std::string_view text, const std::string& path);

}  // namespace contextual::storage
