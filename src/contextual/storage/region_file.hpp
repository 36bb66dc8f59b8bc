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

std::string to_json(const RegionFile& file);

/// Accepts what `to_json` returns and what a person makes of its pins. Leaves out a set that is damaged, or
/// of another region. `path` is for messages. Throws std::runtime_error, or nlohmann's exceptions.
RegionFile parse_region(std::string_view text, const std::string& path);

/// Several regions in one text, to carry them to another directory.
std::string bundle_text(const std::vector<RegionFile>& files);
/// Throws std::runtime_error, or nlohmann's exceptions, if anything in the text is damaged.
std::vector<RegionFile> parse_bundle(std::string_view text);

}  // namespace contextual::storage
