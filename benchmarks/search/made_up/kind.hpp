#pragma once

/// \file
/// The kinds of made-up regions, by name.

#include "search/made_up/model.hpp"
#include "search/random_numbers.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace search_replay::made_up {

struct Kind {
  std::string_view name;
  std::string_view description;
  std::unique_ptr<Model> (*make_model)(RandomNumbers& random);
  double drift = 0;                  ///< by how much all times grow, relative, over the first runs
  std::int64_t late_after_runs = 0;  ///< the last problem joins after so many runs
  double least_noise = 0.002;        ///< the standard deviation of a sample, relative, is between these
  double most_noise = 0.02;
};

std::span<const Kind> all_kinds();

}  // namespace search_replay::made_up
