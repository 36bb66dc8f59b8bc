#pragma once

/// \file
/// Several entries in one text, to carry them to another directory. Pure.

#include "contextual/storage/choice_entry.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace contextual::storage {

/// An entry and the name of its file, which says how old it is.
struct BundledEntry {
  std::string file;
  ChoiceEntry entry;
};

std::string bundle_text(const std::vector<BundledEntry>& entries);

/// Throws std::runtime_error, or nlohmann's exceptions, if the text is none that `bundle_text` has returned,
/// whatever its white space is.
std::vector<BundledEntry> parse_bundle(std::string_view text);

}  // namespace contextual::storage
