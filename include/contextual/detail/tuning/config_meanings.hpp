#pragma once

/// \file
/// What configs are, where their numbers do not say it: ranks in the list of a library's algorithms.

#include <contextual/export.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace contextual::detail {

/// Returns what each config of a kernel is for this key, by id, as different texts. Fewer than the config
/// space has if the others do not exist. May throw what `load` may throw.
using MeaningsOfConfigs = std::function<std::vector<std::string>(const Key&)>;

/// A kept choice of the kernel of this name then says what it is, and is found again by that. Works before
/// the kernel exists, so that a library may call it when it is loaded. Thread-safe.
CONTEXTUAL_API void set_config_meanings(const std::string& kernel, MeaningsOfConfigs meanings);

/// Returns what they are at present; nothing for a kernel whose configs mean what they say. Throws what the
/// kernel's function throws.
std::optional<std::vector<std::string>> config_meanings(const std::string& kernel, const Key& key);

}  // namespace contextual::detail
