#include "report/reading/decode.hpp"

#include "report/reading/json_fields.hpp"

#include <type_traits>
#include <utility>

namespace contextual::log_report {
namespace {

template <typename E>
void read_into(Fields& fields, E& event);

/// Goes by the rows of the schema. What the line does not say stays as the event's initialiser has it.
template <typename E>
E read(Fields& fields) {
  E event;
  read_into(fields, event);
  return event;
}

[[noreturn]] void throw_absent(const char* name) {
  throw DamagedLine(std::string("no \"") + name + "\"");
}

/// One value of a type that a field can have; empty where the line has none. Throws DamagedLine for what the
/// field cannot be.
template <typename T, typename Field>
struct Value {
  static_assert(std::is_enum_v<T>, "a type of field that this reader does not know");
  static std::optional<T> of(Fields& fields, const Field& field) {
    const std::optional<std::string_view> text = fields.text(field.name);
    const std::optional<T> value = text ? record::enum_from_text<T>(*text) : std::nullopt;
    if (text && !value) {
      throw DamagedLine(std::string("\"") + field.name + "\" is none of the words it can be");
    }
    return value;
  }
};

template <typename Field>
struct Value<std::string_view, Field> {
  static std::optional<std::string_view> of(Fields& fields, const Field& field) {
    if constexpr (std::is_same_v<decltype(field.member), std::string_view ConfigName::*>) {
      return fields.config(field.name);
    } else {
      return fields.text(field.name);
    }
  }
};

template <typename Field>
struct Value<std::int64_t, Field> {
  static std::optional<std::int64_t> of(Fields& fields, const Field& field) {
    return fields.number(field.name, field.lowest, field.highest);
  }
};

template <typename Field>
struct Value<double, Field> {
  static std::optional<double> of(Fields& fields, const Field& field) { return fields.real(field.name); }
};

template <typename Field>
struct Value<bool, Field> {
  static std::optional<bool> of(Fields& fields, const Field& field) { return fields.flag(field.name); }
};

template <typename Field>
struct Value<std::vector<std::int64_t>, Field> {
  static std::optional<std::vector<std::int64_t>> of(Fields& fields, const Field& field) {
    return fields.numbers(field.name, field.lowest, field.highest);
  }
};

template <record::HasFields T, typename Field>
struct Value<std::vector<T>, Field> {
  static std::optional<std::vector<T>> of(Fields& fields, const Field& field) {
    std::vector<T> entries;
    fields.each_object(field.name, [&](Fields& entry) { entries.push_back(read<T>(entry)); });
    return entries;
  }
};

template <typename Field>
struct Value<const ProblemName*, Field> {
  static std::optional<const ProblemName*> of(Fields& fields, const Field& field) {
    const std::optional<std::string_view> kernel = fields.text(field.name);
    const std::optional<std::string_view> key = fields.text(record::key_field);
    if (field.is_needed && !key) {
      throw_absent(record::key_field);
    }
    if (!kernel) {
      return std::nullopt;
    }
    return kernel->empty() ? nullptr : fields.pool().problem(*kernel, key.value_or(""));
  }
};

template <typename Field>
struct Value<ConfigName, Field> {
  static std::optional<ConfigName> of(Fields& fields, const Field& /*field*/) {
    return read<ConfigName>(fields);
  }
};

template <typename T, typename Field>
struct Value<std::optional<T>, Field> {
  static std::optional<T> of(Fields& fields, const Field& field) {
    return Value<T, Field>::of(fields, field);
  }
};

template <typename E>
void read_into(Fields& fields, E& event) {
  record::for_each_field<E>([&](const auto& field) {
    using Member = std::remove_reference_t<decltype(event.*field.member)>;
    auto value = Value<Member, std::remove_cvref_t<decltype(field)>>::of(fields, field);
    if (value) {
      event.*field.member = std::move(*value);
    } else if (field.is_needed) {
      throw_absent(field.name);
    }
  });
}

template <typename Body>
Body read_body(Fields& fields) {
  Body body = read<Body>(fields);
  if constexpr (std::is_same_v<Body, Launch>) {
    if (body.config.problem == nullptr) {
      throw DamagedLine("a launch without a kernel");
    }
  }
  return body;
}

/// Empty for an event that none of `Bodies` is.
template <typename... Bodies>
std::optional<EventBody> body_of(std::string_view name, Fields& fields,
                                 std::type_identity<std::variant<Bodies...>> /*of*/) {
  std::optional<EventBody> body;
  const auto try_one = [&]<typename Body>(std::type_identity<Body>) {
    if (name == Body::event_name) {
      body = read_body<Body>(fields);
    }
    return body.has_value();
  };
  (void)(try_one(std::type_identity<Bodies>()) || ...);
  return body;
}

}  // namespace

DecodedLine decode_line(std::string_view line, TextPool& pool) {
  const ParsedLine parsed = parse_line(line);
  Fields fields(parsed.object, parsed.config_names, pool);
  const std::optional<std::string_view> name = fields.text(record::schema::event_name_field);
  if (!name) {
    throw_absent(record::schema::event_name_field);
  }
  Event event;
  read_into(fields, event);
  auto body = body_of(*name, fields, std::type_identity<EventBody>());
  if (!body) {
    return {};
  }
  event.body = std::move(*body);
  return {std::move(event), fields.unknown()};
}

}  // namespace contextual::log_report
