#pragma once

/// \file
/// Writes and removes the files that pin.

#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/pin.hpp"

#include <contextual/choices.hpp>

#include <optional>
#include <string>

namespace contextual::storage {

/// Returns what pins the choice and nothing else.
Pin pin_of(const KeptChoice& choice);

/// Writes one file a kernel and key, so that the next pin of the same replaces it.
void write_pin(const ChoiceStore& store, const std::string& region, const Pin& pin,
               KeptChoices::Changes& changes);

/// Removes all pins, or those of the kernel or coupling: a file of several, which a person has written, keeps
/// the others.
void remove_pins(const ChoiceStore& store, const std::string& region,
                 const std::optional<std::string>& kernel, KeptChoices::Changes& changes);

}  // namespace contextual::storage
