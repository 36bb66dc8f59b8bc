#pragma once

/// \file
/// A cached config as the text by which rank 0 tells the other ranks of it. Pure.

#include <contextual/config_cache.hpp>

#include <optional>
#include <string>

namespace contextual::tuning {

/// Returns the config and its time; an empty text for nothing.
std::string text_of(const std::optional<CachedConfig>& cached);

/// Returns what `text_of` has written. Throws InvalidArgument, or nlohmann's exceptions, for another text.
std::optional<CachedConfig> cached_config_of(const std::string& text);

}  // namespace contextual::tuning
