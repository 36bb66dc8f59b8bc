#pragma once

/// \file
/// The parts of a key as texts.

#include "contextual/config/digested_words.hpp"

#include <string>
#include <vector>

namespace contextual::detail {

/// Returns the text of each part of a key that has these words.
std::vector<std::string> key_part_texts(const std::vector<KeyWord>& words);

/// Returns e.g. "(4096, bf16)", or "{M: 4096, dtype: bf16}" if there are names. A digest has no parts to
/// name.
std::string key_text(const std::vector<KeyWord>& words, const std::vector<std::string>& names);

}  // namespace contextual::detail
