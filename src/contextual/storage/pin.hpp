#pragma once

/// \file
/// Pins in a file beside the choices of a region. Pure.

#include "contextual/config/pin.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace contextual::storage {

using detail::Pin;

/// Returns a digest of what is pinned, whatever the files are called and how they are ordered; an empty text
/// if nothing is.
std::string pins_digest(const std::vector<Pin>& pins);

/// Returns why no pin without the words of its key can have this text of a key, or an empty text: launches
/// are compared with the text of the key alone, and a report also writes the alternatives around a launch.
std::string key_text_problem(const std::string& key_text);

/// Returns the text of a pin file of that region.
std::string pin_text(const std::string& region, const std::vector<Pin>& pins);

/// A pin file as it was read.
struct PinFile {
  std::filesystem::path path;
  std::string text;
  std::string refusal;  ///< why it is not believed; else empty
};

/// The pins of a file, or why there are none.
struct ParsedPins {
  std::vector<Pin> pins;
  std::string problem;  ///< names the file
};

/// Accepts what `pin_text` returns and what a person makes of it: a field that is unknown, of another type or
/// missing is a problem, and so is a file that is not believed.
ParsedPins parse_pins(const PinFile& file, const std::string& region);

/// Returns the region that the text of a pin file names, or an empty text.
std::string pinned_region(const std::string& text);

}  // namespace contextual::storage
