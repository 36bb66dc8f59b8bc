#pragma once

/// \file
/// What a person has pinned in a region, also as JSON. Pure.

#include <contextual/config.hpp>
#include <contextual/key.hpp>

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual::detail {

/// True if a problem has been found for the pin, or somebody has been told that there is none. Copies share
/// it.
struct PinUse {
  std::shared_ptr<std::atomic<bool>> value = std::make_shared<std::atomic<bool>>(false);
  bool operator==(const PinUse& /*other*/) const noexcept { return true; }
};

/// The config of one kernel, for one key or for all.
struct Pin {
  std::string file;          ///< with its path, for messages
  std::string kernel;        ///< or the coupling
  std::string key_text;      ///< as the report has it, but for long keys, which need `key`; empty:
                             ///< every key, unless there is a `key`
  std::optional<Key> key{};  ///< counts instead of the text
  std::optional<std::uint64_t> scope{};  ///< the alternatives around its launches; nothing: any
  std::optional<Config> config{};
  std::optional<std::size_t> config_id{};  ///< of a coupling, whose kernels have different configs
  PinUse used{};
  bool operator==(const Pin&) const = default;

  bool of_every_key() const noexcept { return key_text.empty() && !key; }
  /// Returns true for a problem of that kernel. The text of a key within an alternative also names that.
  /// A launch outside of tuning knows no more of a long key than its digest, so its text never counts.
  bool is_for(const Key& of_key, const std::string& of_text, std::uint64_t in) const;
};

}  // namespace contextual::detail

namespace contextual::storage {

using detail::Pin;

/// Returns a digest of what is pinned, in whatever order; an empty text if nothing is.
std::string pins_digest(const std::vector<Pin>& pins);

/// Returns why no pin without the words of its key can have this text of a key, or an empty text: launches
/// are compared with the text of the key alone, and a report also writes the alternatives around a launch.
std::string key_text_problem(const std::string& key_text);

nlohmann::json json_of(const std::vector<Pin>& pins);
/// Accepts what `json_of` returns and what a person makes of it. Throws std::runtime_error, or nlohmann's
/// exceptions, for a field that is unknown, of another type or missing. `file` is for messages.
std::vector<Pin> pins_of(const nlohmann::json& json, const std::string& file);

/// Throws std::runtime_error unless it is an object with none but these fields.
void check_fields(const nlohmann::json& json, const std::string& what,
                  std::initializer_list<const char*> known);

}  // namespace contextual::storage
