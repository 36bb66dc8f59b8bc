#include "contextual/config/space_generator.hpp"

#include <contextual/detail/config/stable_hash.hpp>

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace contextual::detail {

std::vector<SpaceAxis> axes_of(const std::vector<SpaceColumn>& parameters) {
  std::vector<SpaceAxis> axes;
  axes.reserve(parameters.size());
  for (const SpaceColumn& parameter : parameters) {
    axes.push_back(parameter.axis());
  }
  return axes;
}

Config named_values(const SpaceDefinition& definition, const void* config) {
  if (definition.dynamic) {
    return *static_cast<const Config*>(config);
  }
  Config result;
  for (const SpaceColumn& parameter : definition.parameters) {
    const std::optional<Value> value = parameter.read(config);
    if (!value) {
      fail_unreadable(parameter.axis().name);
    }
    result.set(parameter.axis().name, *value);
  }
  return result;
}

namespace {

const Config& listed_config(const SpaceDefinition& dynamic, std::size_t i) {
  return *static_cast<const Config*>(dynamic.list->at(i));
}

/// Returns a hash of the names and values of all configs in order, and of which are refinements.
std::uint64_t digest_of(const SpaceDefinition& definition, const ConfigList& configs,
                        std::size_t refinement_count) {
  StableHash hash;
  if (refinement_count > 0) {
    hash.add(std::uint64_t{refinement_count});
  }
  for (const SpaceColumn& parameter : definition.parameters) {
    hash.add(std::string_view(parameter.axis().name));
  }
  for (std::size_t id = 0; id < configs.size(); ++id) {
    hash.add(named_values(definition, configs.at(id)).hash());
  }
  return hash.value();
}

}  // namespace

std::uint64_t candidate_count(const SpaceDefinition& definition) {
  return definition.list != nullptr ? definition.list->size() : cardinality(axes_of(definition.parameters));
}

SpaceGenerator::SpaceGenerator(const SpaceDefinition& definition)
    : definition_(definition), configs_(definition.make_list()) {
  for (const SpaceConstraint& constraint : definition.constraints) {
    exclusions_.push_back({constraint.name, 0});
  }
}

GeneratedSpace SpaceGenerator::generate() {
  check_definition();
  const std::uint64_t candidates = candidate_count(definition_);
  check_cardinality(candidates);
  if (definition_.dynamic) {
    add_dynamic_default();
  } else {
    add_default();
    check_members();
  }
  const std::optional<std::size_t> violated = first_violated(configs_->at(0));
  if (definition_.list != nullptr) {
    add_list();
  } else {
    add_product(definition_.parameters);
  }
  if (passed_ == 0) {
    fail_contradictory(candidates, exclusions_);
  }
  if (violated) {
    fail_default_excluded(definition_.constraints[*violated].name, values(0), values(1));
  }
  const std::size_t coarse_count = configs_->size();
  add_refinements();
  const std::size_t refinement_count = configs_->size() - coarse_count;
  const std::uint64_t digest = digest_of(definition_, *configs_, refinement_count);
  return {std::move(configs_), refinement_count, digest};
}

void SpaceGenerator::check_definition() const {
  const bool listed = definition_.list != nullptr;
  const std::vector<SpaceAxis> axes = axes_of(definition_.parameters);
  if (listed) {
    check_list_size(definition_.list->size());
  }
  const bool named_by_the_list = definition_.dynamic && listed && axes.empty();
  if (!named_by_the_list) {
    check_axes(axes, listed);
  }
  check_refinements(axes, axes_of(definition_.refinements), listed);
  for (const SpaceConstraint& constraint : definition_.constraints) {
    if (!constraint.allows) {
      fail_empty_constraint(constraint.name);
    }
  }
}

/// Two parameters of one member would overwrite each other's values.
void SpaceGenerator::check_members() const {
  std::map<const void*, std::string> names;
  for (const SpaceColumn& parameter : definition_.parameters) {
    const std::string& name = parameter.axis().name;
    const auto [first, is_new] = names.emplace(parameter.member_of(configs_->at(0)), name);
    if (!is_new) {
      fail_shared_member(first->second, name);
    }
  }
  for (const SpaceColumn& refinement : definition_.refinements) {
    const std::string& name = refinement.axis().name;
    const auto member = names.find(refinement.member_of(configs_->at(0)));
    if (member == names.end() || member->second != name) {
      fail_refined_member(name);
    }
  }
}

void SpaceGenerator::add_default() {
  if (definition_.default_config != nullptr) {
    configs_->append(definition_.default_config->at(0));
    return;
  }
  if (definition_.list != nullptr) {
    configs_->append(definition_.list->at(0));
  } else if (!configs_->append_default()) {
    fail_no_default();
  }
}

void SpaceGenerator::add_dynamic_default() {
  Config config = dynamic_reference();
  if (definition_.default_config != nullptr) {
    config = in_order_of(config, *static_cast<const Config*>(definition_.default_config->at(0)),
                         "the default config");
  }
  configs_->append(&config);
}

/// Returns a config with the names, order and types of the space: the first value of every parameter, or the
/// first listed config if there are no parameters.
Config SpaceGenerator::dynamic_reference() const {
  Config reference;
  for (const SpaceColumn& parameter : definition_.parameters) {
    if (parameter.axis().values.empty()) {
      const Value* listed = listed_config(definition_, 0).find(parameter.axis().name);
      reference.set(parameter.axis().name, listed != nullptr ? *listed : Value(false));
    } else {
      parameter.assign(&reference, 0);
    }
  }
  if (definition_.list == nullptr) {
    return reference;
  }
  const Config& first = listed_config(definition_, 0);
  return reference.empty() ? first : in_order_of(reference, first, "config 0 of the list");
}

void SpaceGenerator::add_list() {
  std::vector<Config> listed;
  const Config default_values = values(0);
  for (std::size_t i = 0; i < definition_.list->size(); ++i) {
    if (definition_.dynamic) {
      const Config ordered = in_order_of(default_values, listed_config(definition_, i),
                                         "config " + std::to_string(i) + " of the list");
      configs_->append(&ordered);
    } else {
      configs_->append(definition_.list->at(i));
    }
    listed.push_back(values(configs_->size() - 1));
    keep_or_remove(listed.back() == default_values);
  }
  check_unique(listed);
}

/// Adds the combinations of the parameters' values.
void SpaceGenerator::add_product(const std::vector<SpaceColumn>& parameters) {
  const std::optional<std::uint64_t> default_at = position_of_default(parameters);
  const std::uint64_t candidates = cardinality(axes_of(parameters));
  for (std::uint64_t i = 0; i < candidates; ++i) {
    void* const candidate = configs_->append(configs_->at(0));
    std::uint64_t rest = i;
    for (std::size_t p = parameters.size(); p-- > 0;) {
      const std::uint64_t count = parameters[p].axis().values.size();
      parameters[p].assign(candidate, static_cast<std::size_t>(rest % count));
      rest /= count;
    }
    keep_or_remove(i == default_at);
  }
}

void SpaceGenerator::add_refinements() {
  for (const SpaceColumn& refinement : definition_.refinements) {
    std::vector<SpaceColumn> refined = definition_.parameters;
    for (SpaceColumn& parameter : refined) {
      if (parameter.axis().name == refinement.axis().name) {
        parameter = refinement;
      }
    }
    check_cardinality(cardinality(axes_of(refined)));
    add_product(refined);
  }
}

/// Returns the index of the default among the combinations, or nothing if one of its values is not a
/// candidate.
std::optional<std::uint64_t> SpaceGenerator::position_of_default(
    const std::vector<SpaceColumn>& parameters) const {
  std::uint64_t position = 0;
  for (const SpaceColumn& parameter : parameters) {
    const auto& candidates = parameter.axis().values;
    const auto at = std::find(candidates.begin(), candidates.end(), parameter.read(configs_->at(0)));
    if (at == candidates.end()) {
      return std::nullopt;
    }
    position = position * candidates.size() + static_cast<std::uint64_t>(at - candidates.begin());
  }
  return position;
}

/// Returns the index of the first constraint that excludes `config`, or nothing if all allow it. If a
/// constraint throws, throws ConfigSpaceError with the constraint, the config and the cause.
std::optional<std::size_t> SpaceGenerator::first_violated(const void* config) const {
  void* const arguments[] = {const_cast<void*>(config)};
  for (std::size_t i = 0; i < definition_.constraints.size(); ++i) {
    std::string cause;
    try {
      if (definition_.constraints[i].allows.call(arguments)) {
        continue;
      }
      return i;
    } catch (const std::exception& e) {
      cause = e.what();
    } catch (...) {
      cause = "an exception that is not a std::exception";
    }
    fail_constraint_threw(definition_.constraints[i].name, named_values(definition_, config), cause);
  }
  return std::nullopt;
}

void SpaceGenerator::keep_or_remove(bool is_default) {
  if (const auto violated = first_violated(configs_->at(configs_->size() - 1))) {
    ++exclusions_[*violated].excluded_count;
    configs_->remove_last();
    return;
  }
  ++passed_;
  if (is_default) {
    configs_->remove_last();
  }
}

}  // namespace contextual::detail
