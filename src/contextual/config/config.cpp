#include <contextual/config.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/error.hpp>

#include <algorithm>

namespace contextual {

Config::Config(std::initializer_list<Entry> entries) {
  entries_.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (contains(entry.name)) {
      throw InvalidArgument("config: parameter \"" + entry.name + "\" is given twice: remove or rename one");
    }
    entries_.push_back(entry);
  }
}

const Value* Config::find(std::string_view name) const noexcept {
  const auto at =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == name; });
  return at == entries_.end() ? nullptr : &at->value;
}

void Config::assign(Entry entry) {
  const auto at =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.name == entry.name; });
  if (at == entries_.end()) {
    entries_.push_back(std::move(entry));
  } else {
    at->value = std::move(entry.value);
  }
}

std::uint64_t Config::hash() const noexcept {
  detail::StableHash hash;
  for (const Entry& entry : entries_) {
    hash.add(std::string_view(entry.name)).add(entry.value);
  }
  return hash.value();
}

std::string Config::to_string() const {
  std::string out = "{";
  for (const Entry& entry : entries_) {
    out += (out.size() > 1 ? ", " : "") + entry.name + ": " + contextual::to_string(entry.value);
  }
  return out + "}";
}

Value Config::checked(const std::string& name, std::optional<Value> value) {
  if (!value) {
    throw InvalidArgument("config: the value of parameter \"" + name +
                          "\" is not finite or above the range of a 64-bit signed integer");
  }
  return *std::move(value);
}

void Config::unknown(std::string_view name) const {
  std::string known;
  for (const Entry& entry : entries_) {
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw InvalidArgument("config: unknown parameter \"" + std::string(name) + "\"; " +
                        (known.empty() ? "this config has none" : "known ones: " + known));
}

void Config::type_clash(std::string_view name, const Value& value, std::string_view wanted) {
  throw InvalidArgument("config: parameter \"" + std::string(name) + "\" is " + contextual::to_string(value) +
                        " (" + std::string(type_name(value)) + ") and cannot be read as " +
                        std::string(wanted) + ": read it by its own type, or change the value");
}

}  // namespace contextual
