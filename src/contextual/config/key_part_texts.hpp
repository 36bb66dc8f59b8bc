#pragma once

/// \file
/// The parts of a key as texts.

#include <contextual/key.hpp>

#include <string>
#include <vector>

namespace contextual::detail {

/// Returns the text of each part of a key.
std::vector<std::string> key_part_texts(const Key& key);

}  // namespace contextual::detail
