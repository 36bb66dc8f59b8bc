#pragma once

/// \file
/// A typed handle to one parameter of a dynamic `Config`.

#include <contextual/value.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace contextual {

/// The name, type and position of a parameter. `config[param]` looks at the position first, so that a read
/// usually costs one comparison of short names. In a config with another order it searches for the name.
/// The constructor accepts any name; a look-up in a config without that name throws InvalidArgument.
template <ConfigValue T>
class Param {
 public:
  using value_type = T;

  /// `position` is a hint. `ConfigSpace<Config>::param` makes a handle with the right one.
  explicit Param(std::string name, std::size_t position = 0) : name_(std::move(name)), position_(position) {}

  const std::string& name() const noexcept { return name_; }
  std::size_t position() const noexcept { return position_; }

 private:
  std::string name_;
  std::size_t position_;
};

}  // namespace contextual
