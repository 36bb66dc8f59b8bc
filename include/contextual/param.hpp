#pragma once

/// \file
/// A typed handle to one parameter of a dynamic `Config`.

#include <contextual/value.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace contextual {

/// Name, type and position of a parameter: `config[param]` looks at the position first, so that reading
/// costs one comparison of short names; in a config with another order it searches for the name.
/// Making one never throws; a name that the config does not have is reported by the look-up.
template <ConfigValue T>
class Param {
 public:
  using value_type = T;

  /// `position` is a hint; `ConfigSpace<Config>::param` gives the right one.
  explicit Param(std::string name, std::size_t position = 0) : name_(std::move(name)), position_(position) {}

  const std::string& name() const noexcept { return name_; }
  std::size_t position() const noexcept { return position_; }

 private:
  std::string name_;
  std::size_t position_;
};

}  // namespace contextual
