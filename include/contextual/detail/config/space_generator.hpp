#pragma once

/// \file
/// Generates the configs of a space from its definition.

#include <contextual/config.hpp>
#include <contextual/detail/config/generated_space.hpp>
#include <contextual/detail/config/space_checks.hpp>
#include <contextual/detail/config/space_constraints.hpp>
#include <contextual/detail/config/space_definition.hpp>
#include <contextual/detail/config/space_parameter.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual::detail {

/// Call `generate` once: it returns the allowed configs, the default first and refinements last, or throws
/// ConfigSpaceError.
template <typename C>
class SpaceGenerator {
 public:
  explicit SpaceGenerator(const SpaceDefinition<C>& definition) : definition_(definition) {
    for (const SpaceConstraint<C>& constraint : definition.constraints) {
      exclusions_.push_back({constraint.name, 0});
    }
  }

  GeneratedSpace<C> generate() {
    check_definition();
    const std::uint64_t candidates = definition_.candidate_count();
    check_cardinality(candidates);
    configs_.push_back(default_config());
    check_members();
    const std::optional<std::size_t> violated = detail::first_violated(definition_, configs_[0]);
    if (definition_.list) {
      add_list();
    } else {
      add_product(definition_.parameters);
    }
    if (passed_ == 0) {
      fail_contradictory(candidates, exclusions_);
    }
    if (violated) {
      fail_default_excluded(definition_.constraints[*violated].name, values(configs_[0]),
                            values(configs_[1]));
    }
    const std::size_t coarse_count = configs_.size();
    add_refinements();
    const std::size_t refinement_count = configs_.size() - coarse_count;
    const std::uint64_t digest = digest_of(definition_.parameters, configs_, refinement_count);
    return {std::move(configs_), refinement_count, digest};
  }

 private:
  Config values(const C& config) const { return named_values(definition_.parameters, config); }

  void check_definition() const {
    const std::vector<SpaceAxis> axes = definition_.axes();
    if (definition_.list) {
      check_list_size(definition_.list->size());
    }
    const bool named_by_the_list = std::is_same_v<C, Config> && definition_.list && axes.empty();
    if (!named_by_the_list) {
      check_axes(axes, definition_.list.has_value());
    }
    std::vector<SpaceAxis> refinements;
    for (const SpaceParameter<C>& refinement : definition_.refinements) {
      refinements.push_back(refinement.axis());
    }
    check_refinements(axes, refinements, definition_.list.has_value());
    check_constraints(definition_);
  }

  /// Two parameters of one member would overwrite each other's values.
  void check_members() const {
    if constexpr (!std::is_same_v<C, Config>) {
      std::map<const void*, std::string> names;
      for (const SpaceParameter<C>& parameter : definition_.parameters) {
        const std::string& name = parameter.axis().name;
        const auto [first, is_new] = names.emplace(parameter.member_of(configs_[0]), name);
        if (!is_new) {
          fail_shared_member(first->second, name);
        }
      }
      for (const SpaceParameter<C>& refinement : definition_.refinements) {
        const std::string& name = refinement.axis().name;
        const auto member = names.find(refinement.member_of(configs_[0]));
        if (member == names.end() || member->second != name) {
          fail_refined_member(name);
        }
      }
    }
  }

  C default_config() const {
    if constexpr (std::is_same_v<C, Config>) {
      const Config reference = dynamic_reference();
      return definition_.default_config
                 ? in_order_of(reference, *definition_.default_config, "the default config")
                 : reference;
    } else {
      if (definition_.default_config) {
        return *definition_.default_config;
      }
      if constexpr (std::default_initializable<C>) {
        return listed_twin(C{});
      } else {
        fail_no_default();
      }
    }
  }

  /// Returns the listed config with the same named values, if there is one: it may differ from `config` in
  /// members without a name.
  C listed_twin(C config) const {
    if (definition_.list) {
      for (const C& listed : *definition_.list) {
        if (values(listed) == values(config)) {
          return listed;
        }
      }
    }
    return config;
  }

  /// Returns a config with the names, order and types of the space: the first value of every parameter, or
  /// the first listed config if there are no parameters.
  Config dynamic_reference() const requires std::same_as<C, Config> {
    Config reference;
    for (const SpaceParameter<Config>& parameter : definition_.parameters) {
      if (parameter.axis().values.empty()) {
        const Value* listed = definition_.list->front().find(parameter.axis().name);
        reference.set(parameter.axis().name, listed != nullptr ? *listed : Value(false));
      } else {
        parameter.assign(reference, 0);
      }
    }
    if (!definition_.list) {
      return reference;
    }
    const Config& first = definition_.list->front();
    return reference.empty() ? first : in_order_of(reference, first, "config 0 of the list");
  }

  void add_list() {
    std::vector<Config> listed;
    const Config default_values = values(configs_[0]);
    for (std::size_t i = 0; i < definition_.list->size(); ++i) {
      C candidate = (*definition_.list)[i];
      if constexpr (std::is_same_v<C, Config>) {
        candidate = in_order_of(configs_[0], candidate, "config " + std::to_string(i) + " of the list");
      }
      listed.push_back(values(candidate));
      add(candidate, listed.back() == default_values);
    }
    check_unique(listed);
  }

  /// Adds the combinations of the parameters' values.
  void add_product(const std::vector<SpaceParameter<C>>& parameters) {
    const std::optional<std::uint64_t> default_at = position_of(configs_[0], parameters);
    C candidate = configs_[0];
    std::uint64_t candidates = 1;
    for (const SpaceParameter<C>& parameter : parameters) {
      candidates *= parameter.axis().values.size();
    }
    for (std::uint64_t i = 0; i < candidates; ++i) {
      std::uint64_t rest = i;
      for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
        const std::uint64_t count = parameter->axis().values.size();
        parameter->assign(candidate, static_cast<std::size_t>(rest % count));
        rest /= count;
      }
      add(candidate, i == default_at);
    }
  }

  void add_refinements() {
    for (const SpaceParameter<C>& refinement : definition_.refinements) {
      SpaceDefinition<C> refined;
      refined.parameters = definition_.parameters;
      for (SpaceParameter<C>& parameter : refined.parameters) {
        if (parameter.axis().name == refinement.axis().name) {
          parameter = refinement;
        }
      }
      check_cardinality(refined.candidate_count());
      add_product(refined.parameters);
    }
  }

  /// Returns the index of a config among the combinations, or nothing if one of its values is not a
  /// candidate.
  std::optional<std::uint64_t> position_of(const C& config,
                                           const std::vector<SpaceParameter<C>>& parameters) const {
    std::uint64_t position = 0;
    for (const SpaceParameter<C>& parameter : parameters) {
      const auto& candidates = parameter.axis().values;
      const auto at = std::find(candidates.begin(), candidates.end(), parameter.read(config));
      if (at == candidates.end()) {
        return std::nullopt;
      }
      position = position * candidates.size() + static_cast<std::uint64_t>(at - candidates.begin());
    }
    return position;
  }

  void add(const C& candidate, bool is_default) {
    if (const auto violated = detail::first_violated(definition_, candidate)) {
      ++exclusions_[*violated].excluded_count;
      return;
    }
    ++passed_;
    if (!is_default) {
      configs_.push_back(candidate);
    }
  }

  const SpaceDefinition<C>& definition_;
  std::vector<Exclusion> exclusions_;
  std::vector<C> configs_;    // the default first
  std::uint64_t passed_ = 0;  // candidates allowed by every constraint, the default if it is one of them
};

}  // namespace contextual::detail
