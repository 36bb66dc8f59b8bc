#pragma once

/// \file
/// What a person has fixed: configs of kernels, in a file beside the choices of a region. Pure.

#include <contextual/config.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace contextual::storage {

/// The config of one kernel, for one key or for all.
struct Pin {
  std::string file;                      ///< with its path, for messages
  std::string kernel;                    ///< or the coupling
  std::string key_text;                  ///< as the report has it; empty: every key, unless there is a `key`
  std::optional<Key> key{};              ///< counts instead of the text
  std::optional<std::uint64_t> scope{};  ///< the alternatives around its launches; nothing: any
  std::optional<Config> config{};
  std::optional<std::size_t> config_id{};  ///< of a coupling, whose kernels have different configs
  bool operator==(const Pin&) const = default;

  bool of_every_key() const noexcept { return key_text.empty() && !key; }
  /// Returns true for a problem of that kernel. The text of a key within an alternative also names that.
  bool is_for(const Key& of_key, const std::string& of_text, std::uint64_t in) const;
};

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
