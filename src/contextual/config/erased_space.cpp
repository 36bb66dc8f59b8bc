#include "contextual/config/space_checks.hpp"
#include "contextual/config/space_definition.hpp"
#include "contextual/config/space_generator.hpp"

#include <contextual/detail/config/erased_space.hpp>
#include <contextual/error.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace contextual::detail {

ConfigList::~ConfigList() = default;

/// Generates at the first use. Remembers a ConfigSpaceError and throws it again at every use, so that the
/// user's constraints run only once; other exceptions are not remembered. Thread-safe.
struct ErasedSpace::Impl {
  const GeneratedSpace& generated() {
    if (const GeneratedSpace* const known = ready.load(std::memory_order_acquire)) {
      return *known;
    }
    const std::scoped_lock lock(mutex);
    if (!error && !space) {
      try {
        space = SpaceGenerator(definition).generate();
        ready.store(&*space, std::memory_order_release);
      } catch (const ConfigSpaceError& e) {
        error = e.what();
      }
    }
    if (error) {
      throw ConfigSpaceError(*error);
    }
    return *space;
  }

  SpaceDefinition definition;
  std::mutex mutex{};
  std::optional<GeneratedSpace> space{};
  std::optional<std::string> error{};
  std::atomic<const GeneratedSpace*> ready{nullptr};  ///< so that launches take no lock
};

ErasedSpace::ErasedSpace(MakeList make_list, bool dynamic)
    : make_list_(make_list), dynamic_(dynamic), impl_(new Impl{{make_list, dynamic}}) {}

ErasedSpace::ErasedSpace(const ErasedSpace&) = default;
ErasedSpace::ErasedSpace(ErasedSpace&&) noexcept = default;
ErasedSpace& ErasedSpace::operator=(const ErasedSpace&) = default;
ErasedSpace& ErasedSpace::operator=(ErasedSpace&&) noexcept = default;
ErasedSpace::~ErasedSpace() = default;

// Copies share what is generated; a change gives the changed copy a definition of its own.
SpaceDefinition& ErasedSpace::changed() {
  impl_.reset(new Impl{impl_ != nullptr ? impl_->definition : SpaceDefinition{make_list_, dynamic_}});
  return impl_->definition;
}

const GeneratedSpace& ErasedSpace::generated() const {
  if (impl_ == nullptr) {
    fail_moved_from();
  }
  return impl_->generated();
}

void ErasedSpace::add_parameter(const SpaceColumn& parameter) {
  changed().parameters.push_back(parameter);
}

void ErasedSpace::add_constraint(std::string name, PackedResult<bool> allows) {
  changed().constraints.push_back({std::move(name), std::move(allows)});
}

void ErasedSpace::add_refinement(SpaceColumn values) {
  changed().refinements.push_back(std::move(values));
}

void ErasedSpace::set_list(std::shared_ptr<const ConfigList> configs) {
  SpaceDefinition& definition = changed();
  definition.list = std::move(configs);
  definition.refinements.clear();
}

void ErasedSpace::set_default(const void* config) {
  const std::shared_ptr<ConfigList> list = make_list_();
  list->append(config);
  changed().default_config = list;
}

std::uint64_t ErasedSpace::cardinality() const {
  return impl_ != nullptr ? candidate_count(impl_->definition) : 0;
}

const ConfigList& ErasedSpace::configs() const {
  return *generated().configs;
}

std::size_t ErasedSpace::refinement_count() const {
  return generated().refinement_count;
}

const void* ErasedSpace::config(std::size_t config_id) const {
  const ConfigList& all = configs();
  if (config_id >= all.size()) {
    throw InvalidArgument("config space: there is no config " + std::to_string(config_id) + ", only 0 to " +
                          std::to_string(all.size() - 1));
  }
  return all.at(config_id);
}

Config ErasedSpace::to_config(std::size_t config_id) const {
  const void* const named = config(config_id);
  return named_values(impl_->definition, named);
}

std::uint64_t ErasedSpace::digest() const {
  return generated().digest;
}

SpaceView ErasedSpace::view() const {
  const GeneratedSpace& space = generated();
  SpaceView view{space.configs->size(), space.digest, {}, space.refinement_count};
  view.configs.reserve(view.size);
  for (std::size_t id = 0; id < view.size; ++id) {
    view.configs.push_back(named_values(impl_->definition, space.configs->at(id)));
  }
  return view;
}

std::size_t ErasedSpace::position_of(std::string_view name) const {
  std::size_t position = 0;
  if (impl_ == nullptr) {
    return position;
  }
  const SpaceDefinition& definition = impl_->definition;
  for (const SpaceColumn& parameter : definition.parameters) {
    if (parameter.axis().name == name) {
      return position;
    }
    ++position;
  }
  // A dynamic space without parameters takes them from its first listed config.
  if (dynamic_ && position == 0 && definition.list != nullptr && definition.list->size() > 0) {
    for (const Config::Entry& entry : static_cast<const Config*>(definition.list->at(0))->entries()) {
      if (entry.name == name) {
        break;
      }
      ++position;
    }
  }
  return position;
}

}  // namespace contextual::detail
