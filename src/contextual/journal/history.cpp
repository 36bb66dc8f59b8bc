#include "contextual/journal/history.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <utility>

namespace contextual::journal {
namespace {

using nlohmann::json;

std::string json_line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<std::string> texts_of(const json& list) {
  std::vector<std::string> texts;
  for (const json& text : list) {
    if (text.is_string()) {
      texts.push_back(text.get<std::string>());
    }
  }
  return texts;
}

/// A run begins, or goes on with the one that was cut off. The latter keeps its heading.
void take_in_heading(std::string_view line, History& history) {
  if (history.batches.empty() || !same_run(history.heading, line)) {
    history.heading = line;
    history.batches.clear();
  }
}

/// Takes the place of all batches from its number on: the run did not come to those, or measured them again.
void take_in_batch(std::string_view line, History& history) {
  std::optional<BatchRecord> record = parse_record(line);
  if (record && record->batch <= history.batches.size() + 1) {
    history.batches.resize(static_cast<std::size_t>(record->batch - 1));
    history.batches.push_back(*std::move(record));
  }
}

/// Samples of an open comparison can only be compared with those of the same process.
void leave_out_open_comparison(std::vector<BatchRecord>& batches) {
  while (!batches.empty() && batches.back().comparing) {
    batches.pop_back();
  }
}

}  // namespace

std::string begin_line(const std::string& kernels) {
  return json_line({{"begins_with", kernels}});
}

std::string runs_line(const std::vector<std::string>& assignments) {
  return json_line({{"runs", assignments}});
}

std::string back_line() {
  return json_line({{"back", true}});
}

std::string called_off_line() {
  return json_line({{"back", false}});
}

std::string quarantine_line(const std::vector<std::string>& assignments) {
  return json_line({{"quarantine", assignments}});
}

void History::take_in(std::string_view line) {
  const json parsed = json::parse(line, nullptr, false);
  if (!parsed.is_object()) {
    return;
  }
  if (parsed.contains("begins_with")) {
    const json& kernels = parsed.at("begins_with");
    quarantine.begin(kernels.is_string() ? kernels.get<std::string>() : "");
    leave_out_open_comparison(batches);
  } else if (parsed.contains("runs")) {
    quarantine.about_to_run(texts_of(parsed.at("runs")));
  } else if (parsed.contains("back")) {
    parsed.at("back") == true ? quarantine.came_back() : quarantine.did_not_run();
  } else if (parsed.contains("quarantine")) {
    quarantine.restore(texts_of(parsed.at("quarantine")));
  } else if (parsed.contains("batch")) {
    quarantine.came_back();
    take_in_batch(line, *this);
  } else if (parsed.contains("region")) {
    take_in_heading(line, *this);
  }
}

}  // namespace contextual::journal
