#pragma once

/// \file
/// One parameter of a config space: its name, its candidate values, and access to its value in a config.

#include <contextual/export.hpp>
#include <contextual/value.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace contextual::detail {

/// A parameter without access to configs. A value that cannot be a `Value` is empty; generating the space
/// reports that.
struct SpaceAxis {
  std::string name;
  std::vector<std::optional<Value>> values;
};

/// The type of a struct's member that is a parameter, as far as the library has to know it.
enum class MemberType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  long_double,  ///< candidates are assigned as doubles
  text,
};

/// An enumerator is read and written as the integer that stands for it, also where that is a bool.
template <ConfigValue M>
constexpr MemberType member_type() noexcept {
  if constexpr (std::is_enum_v<M>) {
    using Integer = std::underlying_type_t<M>;
    return std::same_as<Integer, bool> ? MemberType::uint8 : member_type<Integer>();
  } else if constexpr (std::same_as<M, bool>) {
    return MemberType::boolean;
  } else if constexpr (std::integral<M>) {
    static_assert(sizeof(M) <= sizeof(std::int64_t), "an integer of a config has at most 64 bits");
    constexpr int log2_bytes = sizeof(M) == 1 ? 0 : sizeof(M) == 2 ? 1 : sizeof(M) == 4 ? 2 : 3;
    return static_cast<MemberType>(
        static_cast<int>(std::is_signed_v<M> ? MemberType::int8 : MemberType::uint8) + log2_bytes);
  } else if constexpr (std::floating_point<M>) {
    static_assert(std::same_as<M, float> || std::same_as<M, double> || std::same_as<M, long double>,
                  "a floating-point number of a config is a float, a double or a long double");
    return std::same_as<M, float>    ? MemberType::float32
           : std::same_as<M, double> ? MemberType::float64
                                     : MemberType::long_double;
  } else {
    return MemberType::text;
  }
}

/// Where a member is in the user's struct, which stands behind a `void*`.
struct SpaceMember {
  std::ptrdiff_t offset_bytes = 0;
  MemberType type = MemberType::boolean;
  std::size_t size_bytes = 0;
};

class CONTEXTUAL_API SpaceColumn {
 public:
  /// A member of the user's struct. `values` is an array of `count` values of the member's type.
  SpaceColumn(std::string_view name, const SpaceMember& member, const void* values, std::size_t count);
  /// A name in a dynamic config.
  SpaceColumn(std::string name, std::vector<std::optional<Value>> values);
  SpaceColumn(const SpaceColumn&);
  SpaceColumn(SpaceColumn&&) noexcept;
  SpaceColumn& operator=(const SpaceColumn&);
  SpaceColumn& operator=(SpaceColumn&&) noexcept;
  ~SpaceColumn();

  const SpaceAxis& axis() const noexcept { return axis_; }
  /// Returns where the parameter's member is in a struct.
  const void* member_of(const void* config) const noexcept;
  void assign(void* config, std::size_t value_index) const;
  /// Returns nothing if the member's value cannot be a `Value`, or the dynamic config has no such name.
  std::optional<Value> read(const void* config) const;

 private:
  SpaceAxis axis_;
  std::optional<SpaceMember> member_;  ///< nothing for a name in a dynamic config
};

}  // namespace contextual::detail
