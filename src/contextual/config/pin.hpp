#pragma once

/// \file
/// A config of a kernel that a person has fixed.

#include <contextual/config.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace contextual::detail {

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
  bool operator==(const Pin&) const = default;

  bool of_every_key() const noexcept { return key_text.empty() && !key; }
  /// Returns true for a problem of that kernel. The text of a key within an alternative also names that.
  /// A launch outside of tuning knows no more of a long key than its digest, so its text never counts.
  bool is_for(const Key& of_key, const std::string& of_text, std::uint64_t in) const;
};

}  // namespace contextual::detail
