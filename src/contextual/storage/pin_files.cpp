#include "contextual/storage/pin_files.hpp"

#include <contextual/detail/config/hex_text.hpp>
#include <contextual/detail/config/stable_hash.hpp>

namespace contextual::storage {

using Changes = KeptChoices::Changes;

namespace {

std::string file_of(const Pin& pin) {
  std::string name = "pinned-" + file_name_of(pin.kernel);
  if (!pin.of_every_key()) {
    const std::uint64_t which =
        detail::StableHash().add(std::string_view(pin.key_text)).add(pin.scope.value_or(0)).value();
    name += "-" + detail::hex_text(which);
  }
  return name + pin_ending;
}

void note(const std::string& problem, const std::filesystem::path& file, Changes& changes) {
  if (problem.empty()) {
    changes.files.push_back(file);
  } else {
    changes.problems.push_back(problem);
  }
}

}  // namespace

Pin pin_of(const KeptChoice& choice) {
  Pin pin{{}, choice.kernel, choice.key_text, choice.key, choice.scope, Config::from_json(choice.config), {}};
  if (!choice.coupling.empty()) {
    pin.config_id = choice.config_id;
  }
  return pin;
}

void write_pin(const ChoiceStore& store, const std::string& region, const Pin& pin, Changes& changes) {
  const std::string file = file_of(pin);
  note(store.folder().write(file, pin_text(region, {pin})), store.path() / file, changes);
}

void remove_pins(const ChoiceStore& store, const std::string& region,
                 const std::optional<std::string>& kernel, Changes& changes) {
  for (const PinFile& file : store.pin_files()) {
    if (file.path == store.path()) {
      changes.problems.push_back(file.refusal);
      continue;
    }
    ParsedPins parsed = parse_pins(file, region);
    const std::size_t before = parsed.pins.size();
    std::erase_if(parsed.pins, [&](const Pin& pin) { return !kernel || pin.kernel == *kernel; });
    if (kernel && (!parsed.problem.empty() || parsed.pins.size() == before)) {
      continue;
    }
    const std::string name = file.path.filename().string();
    note(parsed.pins.empty() ? store.folder().remove(name)
                             : store.folder().write(name, pin_text(region, parsed.pins)),
         file.path, changes);
  }
}

}  // namespace contextual::storage
