#include "report/format/texts.hpp"
#include "report/reading/logs.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace contextual::log_report {
namespace {

using Json = nlohmann::ordered_json;  // a config keeps the order of its parameters

/// An event needs 4: the object, its list of entries, an entry, the entry's list of numbers.
constexpr int max_depth = 16;
/// Of one object. A member is looked up among all before it, and time must be linear in the line's length.
constexpr std::size_t max_members = 1'024;

/// Bounds are checked while the parser reads, so that no later step can recurse deeply.
Json parsed(std::string_view line) {
  std::array<std::size_t, max_depth + 2> members{};  // of the open object, by depth
  const auto check = [&members](int depth, Json::parse_event_t event, const Json& /*value*/) {
    if (depth > max_depth) {
      throw DamagedLine("nested deeper than " + std::to_string(max_depth) + " levels");
    }
    const auto level = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) {
      members[level + 1] = 0;
    } else if (event == Json::parse_event_t::key && ++members[level] > max_members) {
      throw DamagedLine("an object of more than " + std::to_string(max_members) + " members");
    }
    return true;
  };
  try {
    return Json::parse(line.begin(), line.end(), check);
  } catch (const Json::parse_error& error) {
    throw DamagedLine("no JSON from byte " + std::to_string(error.byte) + " on");
  } catch (const Json::exception&) {
    throw DamagedLine("a number out of range");
  }
}

[[noreturn]] void throw_wrong(const char* name, const char* what) {
  throw DamagedLine(std::string("\"") + name + "\" is " + what);
}

/// The row of a text that is no member of its own.
struct TextRow {
  const char* name;
  bool is_needed;
  std::nullptr_t member = nullptr;
};

/// Goes by the rows of the schema. What the line does not say stays as the event's initializer has it.
class Reader {
 public:
  explicit Reader(TextPool& pool) : pool_(pool) {}

  template <typename T>
  void read_fields(const Json& object, T& event) {
    if (!object.is_object()) {
      throw DamagedLine("not an object");
    }
    record::for_each_field<T>([&](const auto& field) {
      auto& member = event.*field.member;
      using Member = std::remove_reference_t<decltype(member)>;
      if constexpr (std::is_same_v<Member, ConfigName>) {
        read_fields(object, member);
      } else if constexpr (std::is_same_v<Member, const ProblemName*>) {
        std::string_view kernel;
        std::string_view key;
        read_field(object, TextRow{field.name, field.is_needed}, kernel);
        read_field(object, TextRow{record::key_field, field.is_needed}, key);
        member = kernel.empty() ? nullptr : pool_.problem(kernel, key);
      } else {
        read_field(object, field, member);
      }
    });
  }

  /// Throws DamagedLine for what the field cannot be.
  template <typename Field, typename T>
  void read_field(const Json& object, const Field& field, T& member) {
    const auto found = object.find(field.name);
    if (found != object.end() && !found->is_null()) {
      take(*found, field, member);
    } else if (field.is_needed) {
      throw DamagedLine(std::string("no \"") + field.name + "\"");
    }
  }

 private:
  template <typename Field>
  void take(const Json& value, const Field& field, bool& to) {
    if (!value.is_boolean()) {
      throw_wrong(field.name, "not true or false");
    }
    to = value.get<bool>();
  }

  template <typename Field>
  void take(const Json& value, const Field& field, double& to) {
    if (!value.is_number()) {
      throw_wrong(field.name, "not a number");
    }
    to = value.get<double>();
  }

  template <typename Field>
  void take(const Json& value, const Field& field, std::int64_t& to) {
    if (!value.is_number_integer()) {
      throw_wrong(field.name, "not an integer");
    }
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > most;
    to = value.get<std::int64_t>();
    if (too_large || to < field.lowest || to > field.highest) {
      throw_wrong(field.name, "out of range");
    }
  }

  template <typename Field>
  void take(const Json& value, const Field& field, std::string_view& to) {
    if (!value.is_string()) {
      throw_wrong(field.name, "not a string");
    }
    to = pool_.text(printable(value.get_ref<const std::string&>()));
  }

  template <typename Field, typename E>
  requires std::is_enum_v<E>
  void take(const Json& value, const Field& field, E& to) {
    std::string_view text;
    take(value, TextRow{field.name, true}, text);
    const std::optional<E> known = record::enum_from_text<E>(text);
    if (!known) {
      throw_wrong(field.name, "none of the words it can be");
    }
    to = *known;
  }

  template <typename Field, typename T>
  void take(const Json& value, const Field& field, std::optional<T>& to) {
    take(value, field, to.emplace());
  }

  template <typename Field, typename T>
  void take(const Json& value, const Field& field, std::vector<T>& to) {
    if (!value.is_array()) {
      throw_wrong(field.name, "not a list");
    }
    for (const Json& entry : value) {
      if constexpr (record::HasFields<T>) {
        read_fields(entry, to.emplace_back());
      } else {
        take(entry, field, to.emplace_back());
      }
    }
  }

  template <typename Field>
  void take(const Json& config, const Field& field, ConfigText& to) {
    const bool is_plain = config.is_object() && std::none_of(config.begin(), config.end(), [](const Json& v) {
                            return v.is_structured() || v.is_null();
                          });
    if (!is_plain) {
      throw_wrong(field.name, "not an object of names and plain values");
    }
    const auto name = [](const auto& item) { return printable(item.key(), 512); };
    const auto text = [](const auto& item) {
      const Json& value = item.value();
      return value.is_string() ? printable(value.template get_ref<const std::string&>(), 512) : value.dump();
    };
    const auto both = [&](const auto& item) { return name(item) + ": " + text(item); };
    to = {pool_.text(printable("{" + joined(config.items(), ", ", both) + "}")),
          pool_.text(printable(joined(config.items(), ", ", name))),
          pool_.text(printable(joined(config.items(), ", ", text)))};
  }

  TextPool& pool_;
};

}  // namespace

std::optional<Event> decode_line(std::string_view line, TextPool& pool) {
  const Json object = parsed(line);
  Reader reader(pool);
  std::string_view name;
  Event event;
  reader.read_fields(object, event);
  reader.read_field(object, TextRow{record::schema::event_name_field, true}, name);
  const auto read_body = [&]<typename Body>(std::type_identity<Body> /*of*/) {
    if (name != Body::event_name) {
      return false;
    }
    reader.read_fields(object, event.body.template emplace<Body>());
    return true;
  };
  const auto read_one_of = [&]<typename... Bodies>(const std::variant<Bodies...>& /*of*/) {
    return (read_body(std::type_identity<Bodies>()) || ...);
  };
  if (!read_one_of(decltype(event.body)())) {
    return std::nullopt;
  }
  if (const auto* launch = std::get_if<Launch>(&event.body);
      launch != nullptr && launch->config.problem == nullptr) {
    throw DamagedLine("a launch without a kernel");
  }
  return event;
}

}  // namespace contextual::log_report
