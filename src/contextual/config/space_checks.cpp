#include "contextual/config/space_checks.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <variant>

namespace contextual::detail {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw ConfigSpaceError("config space: " + what);
}

std::string quoted(const std::string& name) {
  return "\"" + name + "\"";
}

void check_values(const SpaceAxis& axis) {
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const std::optional<Value>& value = axis.values[i];
    if (!value) {
      fail("value " + std::to_string(i) + " of parameter " + quoted(axis.name) +
           " is not finite or above the range of a 64-bit signed integer: give another value");
    }
    if (value->index() != axis.values[0]->index()) {
      fail("parameter " + quoted(axis.name) + " has values of different types, " +
           to_string(*axis.values[0]) + " (" + std::string(type_name(*axis.values[0])) + ") and " +
           to_string(*value) + " (" + std::string(type_name(*value)) + "): give all of them one type");
    }
    if (std::find(axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(i), value) !=
        axis.values.begin() + static_cast<std::ptrdiff_t>(i)) {
      fail("parameter " + quoted(axis.name) + " has the duplicate value " + to_string(*value) +
           ": remove one");
    }
  }
}

}  // namespace

std::uint64_t cardinality(std::span<const SpaceAxis> axes) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t product = axes.empty() ? 0 : 1;
  bool saturated = false;
  for (const SpaceAxis& axis : axes) {
    const std::uint64_t count = axis.values.size();
    if (count == 0) {
      return 0;
    }
    saturated = saturated || product > most / count;
    product *= count;
  }
  return saturated ? most : product;
}

void check_axes(std::span<const SpaceAxis> axes, bool listed) {
  if (axes.empty()) {
    fail(listed ? "no parameters: name the members in which the listed configs differ, e.g. {\"BLOCK\", "
                  "&C::block}"
                : "empty, it has no parameters: give at least one, with its values");
  }
  std::set<std::string> names;
  for (const SpaceAxis& axis : axes) {
    if (axis.name.empty()) {
      fail("a parameter has an empty name: give it one");
    }
    if (!names.insert(axis.name).second) {
      fail("duplicate parameter " + quoted(axis.name) + ": rename or remove one");
    }
    if (axis.values.empty() && !listed) {
      fail("empty, parameter " + quoted(axis.name) + " has no values: give at least one");
    }
    check_values(axis);
  }
}

void check_refinements(std::span<const SpaceAxis> axes, std::span<const SpaceAxis> refinements, bool listed) {
  if (listed && !refinements.empty()) {
    fail("parameter " + quoted(refinements.front().name) +
         " is to be refined, but the configs are listed: list the further ones, too, or give values instead "
         "of the list");
  }
  std::set<std::string> names;
  for (const SpaceAxis& refinement : refinements) {
    const auto refined = std::find_if(axes.begin(), axes.end(),
                                      [&](const SpaceAxis& axis) { return axis.name == refinement.name; });
    if (refined == axes.end()) {
      fail("there is no parameter " + quoted(refinement.name) + " to refine");
    }
    if (!names.insert(refinement.name).second) {
      fail("parameter " + quoted(refinement.name) + " is refined twice: give all values at once");
    }
    SpaceAxis all = *refined;
    all.values.insert(all.values.end(), refinement.values.begin(), refinement.values.end());
    check_values(all);
    const Value& value = *all.values.front();
    if (!std::holds_alternative<std::int64_t>(value) && !std::holds_alternative<double>(value)) {
      fail("parameter " + quoted(refinement.name) + " cannot be refined, because its values are no numbers");
    }
  }
}

void check_list_size(std::size_t size) {
  if (size == 0) {
    fail("empty, the explicit list has no configs: give at least one");
  }
}

void check_cardinality(std::uint64_t cardinality) {
  if (cardinality > max_space_cardinality) {
    const bool saturated = cardinality == std::numeric_limits<std::uint64_t>::max();
    fail((saturated ? "at least " : "") + std::to_string(cardinality) + " combinations, more than the " +
         std::to_string(max_space_cardinality) +
         " that are generated: give fewer values, or an explicit list of the configs worth trying "
         "(constraints "
         "do not help, they are applied afterwards)");
  }
}

void check_unique(std::span<const Config> listed) {
  std::unordered_map<Config, std::size_t> first_at;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto [at, inserted] = first_at.emplace(listed[i], i);
    if (!inserted) {
      fail("configs " + std::to_string(at->second) + " and " + std::to_string(i) + " of the list are both " +
           listed[i].to_string() + ": remove the duplicate, or name the member in which they differ");
    }
  }
}

Config in_order_of(const Config& reference, const Config& config, const std::string& what) {
  for (const Config::Entry& entry : config.entries()) {
    if (!reference.contains(entry.name)) {
      fail(what + " " + config.to_string() + " has the unknown parameter " + quoted(entry.name) +
           "; a config of this space looks like " + reference.to_string());
    }
  }
  Config ordered;
  for (const Config::Entry& entry : reference.entries()) {
    const Value* value = config.find(entry.name);
    if (value == nullptr) {
      fail(what + " " + config.to_string() + " lacks the parameter " + quoted(entry.name) +
           ": give it a value");
    }
    if (value->index() != entry.value.index()) {
      fail(what + " has " + quoted(entry.name) + " = " + to_string(*value) + " (" +
           std::string(type_name(*value)) + "), but the parameter is of type " +
           std::string(type_name(entry.value)) + ": change the value");
    }
    ordered.set(entry.name, *value);
  }
  return ordered;
}

void fail_no_default() {
  fail("the config type has no default constructor: set the default with default_config(...)");
}

void fail_unreadable(const std::string& parameter) {
  fail("a config has a value of parameter " + quoted(parameter) +
       " that is not finite or above the range of a 64-bit signed integer: change the default or the list");
}

void fail_shared_member(const std::string& first, const std::string& second) {
  fail("parameters " + quoted(first) + " and " + quoted(second) +
       " are of one member: give each a member of its own, or remove one");
}

void fail_refined_member(const std::string& parameter) {
  fail("parameter " + quoted(parameter) + " is refined with another member than it is of: name the same one");
}

void fail_empty_constraint(const std::string& constraint) {
  fail("constraint " + quoted(constraint) + " holds no function: give one");
}

void fail_constraint_threw(const std::string& constraint, const Config& config, const std::string& cause) {
  fail("constraint " + quoted(constraint) + " threw for config " + config.to_string() + ": " + cause +
       "; let it return false for a config that is not allowed");
}

void fail_default_excluded(const std::string& constraint, const Config& config, const Config& allowed) {
  fail("constraint " + quoted(constraint) + " excludes the default config " + config.to_string() +
       ": set an allowed one with default_config(...), e.g. " + allowed.to_string() +
       ", or change the constraint");
}

void fail_contradictory(std::uint64_t candidates, const std::vector<Exclusion>& exclusions) {
  std::string counts;
  for (const Exclusion& exclusion : exclusions) {
    counts += (counts.empty() ? "" : ", ") + quoted(exclusion.constraint) + " excluded " +
              std::to_string(exclusion.excluded_count);
  }
  fail("contradictory, no candidate of " + std::to_string(candidates) + " is left: " + counts +
       " (each counted where it was excluded first): relax a constraint or add values");
}

void fail_moved_from() {
  fail("used after it was moved from: copy it instead");
}

}  // namespace contextual::detail
