#include <contextual/config.hpp>
#include <contextual/detail/config/space_column.hpp>

#include <cstring>
#include <utility>

namespace contextual::detail {

namespace {

/// Calls `use` with a value of the type, for all types but text.
template <typename Use>
void with_number(MemberType type, const Use& use) {
  switch (type) {
    case MemberType::boolean:
      return use(bool{});
    case MemberType::int8:
      return use(std::int8_t{});
    case MemberType::int16:
      return use(std::int16_t{});
    case MemberType::int32:
      return use(std::int32_t{});
    case MemberType::int64:
      return use(std::int64_t{});
    case MemberType::uint8:
      return use(std::uint8_t{});
    case MemberType::uint16:
      return use(std::uint16_t{});
    case MemberType::uint32:
      return use(std::uint32_t{});
    case MemberType::uint64:
      return use(std::uint64_t{});
    case MemberType::float32:
      return use(float{});
    case MemberType::float64:
      return use(double{});
    case MemberType::long_double:
      return use(0.0L);
    case MemberType::text:
      return;
  }
}

std::optional<Value> read_member(MemberType type, const void* member) {
  if (type == MemberType::text) {
    return to_value(*static_cast<const std::string*>(member));
  }
  std::optional<Value> value;
  with_number(type, [&](auto number) {
    std::memcpy(&number, member, sizeof number);  // it may be an enumerator
    value = to_value(number);
  });
  return value;
}

void write_member(MemberType type, void* member, const Value& value) {
  if (type == MemberType::text) {
    *static_cast<std::string*>(member) = std::get<std::string>(value);
    return;
  }
  with_number(type, [&](auto number) {
    number = value_as<decltype(number)>(value).value();
    std::memcpy(member, &number, sizeof number);
  });
}

}  // namespace

SpaceColumn::SpaceColumn(std::string_view name, const SpaceMember& member, const void* values,
                         std::size_t count)
    : axis_{std::string(name), {}}, member_(member) {
  axis_.values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    axis_.values.push_back(
        read_member(member.type, static_cast<const std::byte*>(values) + i * member.size_bytes));
  }
}

SpaceColumn::SpaceColumn(std::string name, std::vector<std::optional<Value>> values)
    : axis_{std::move(name), std::move(values)} {}

SpaceColumn::SpaceColumn(const SpaceColumn&) = default;
SpaceColumn::SpaceColumn(SpaceColumn&&) noexcept = default;
SpaceColumn& SpaceColumn::operator=(const SpaceColumn&) = default;
SpaceColumn& SpaceColumn::operator=(SpaceColumn&&) noexcept = default;
SpaceColumn::~SpaceColumn() = default;

const void* SpaceColumn::member_of(const void* config) const noexcept {
  return static_cast<const std::byte*>(config) + member_->offset_bytes;
}

void SpaceColumn::assign(void* config, std::size_t value_index) const {
  const Value& value = *axis_.values[value_index];
  if (member_) {
    write_member(member_->type, static_cast<std::byte*>(config) + member_->offset_bytes, value);
  } else {
    static_cast<Config*>(config)->set(axis_.name, value);
  }
}

std::optional<Value> SpaceColumn::read(const void* config) const {
  if (member_) {
    return read_member(member_->type, member_of(config));
  }
  const Value* const value = static_cast<const Config*>(config)->find(axis_.name);
  return value != nullptr ? std::optional<Value>(*value) : std::nullopt;
}

}  // namespace contextual::detail
