#pragma once

/// \file
/// How the choices of a run come beside those that are kept. Pure.

#include "contextual/storage/choice_set.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace contextual::storage {

/// What counts where new choices are made.
struct Present {
  std::vector<detail::Machine> machines;  ///< by rank, with all parts
  std::string pins{};                     ///< see pins_digest
  std::set<std::string> refused{};        ///< the ids of sets that some rank could not use
};

/// The most sets of one kind of machine beside a newer one: of other programs, builds and versions, each of
/// which leaves one.
inline constexpr std::size_t most_beside = 16;

/// Puts a set in front, which a run has chosen. It takes in what older sets that count have chosen for other
/// problems, unless that was chosen beside something that it has chosen otherwise. Sets of other machines,
/// and of other builds of its kernels, stay behind it. `shipped` are taken in, too. A choice that was reused
/// gets what is known of it from the set that it is from.
void add_newest(std::vector<ChoiceSet>& sets, ChoiceSet entry, const Present& now,
                const std::vector<ChoiceSet>& shipped);

/// Adds a set between newer and older ones. Returns false if newer ones leave nothing of it.
bool add_by_age(std::vector<ChoiceSet>& sets, const ChoiceSet& entry);

}  // namespace contextual::storage
