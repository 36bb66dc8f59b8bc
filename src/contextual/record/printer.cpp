#include "contextual/record/printer.hpp"

#include "contextual/record/choice_lines.hpp"
#include "contextual/record/progress.hpp"
#include "contextual/record/text_format.hpp"
#include "contextual/storage/file_size_signal.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace contextual::record {

using detail::ProblemSlot;

namespace {

constexpr std::string_view sign = "[contextual] ";
constexpr std::size_t line_columns = 120;
/// What a line has after a config, as in "1.36 ms +- 202 us  5 samples, 3 warm-ups dropped".
constexpr std::size_t tail_columns = 52;
constexpr std::int64_t progress_interval_ns = 1'000'000'000;

std::string counted(std::size_t count, const std::string& singular) {
  return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

/// The text with the sign before it, in several lines where one would be too long.
std::string signed_lines(const std::string& text) {
  const std::string line = one_line(text);
  if (sign.size() + column_count(line) <= line_columns) {
    return std::string(sign) + line;
  }
  std::string block;
  std::istringstream lines(wrapped(line, line_columns - sign.size()));
  for (std::string part; std::getline(lines, part);) {
    block += (block.empty() ? "" : "\n") + std::string(sign) + part;
  }
  return block;
}

}  // namespace

void Printer::write_in_columns(const std::string& text) const {
  write_(signed_lines(text));
}

void Printer::warning(const std::string& text) const {
  if (level_ != Print::nothing) {
    write_in_columns(region_ + ": warning: " + text);
  }
}

void Printer::progress(const Progress& progress) {
  const bool due = !told_ || told_->phase != progress.phase ||
                   progress.elapsed_ns - told_->elapsed_ns >= progress_interval_ns;
  if (level_ != Print::nothing && due) {
    told_ = progress;
    write_(one_line(format_progress(region_, progress)));
  }
}

std::string Printer::line_on(const ProblemSlot& slot, std::size_t config_id, const std::string& end) {
  const auto [widest, is_new] = config_columns_.try_emplace(slot.index, 0);
  if (is_new && !slot.found.members.empty()) {
    for (const Config& config : slot.found.members.front()->space().configs) {
      widest->second = std::max(widest->second, column_count(one_line(config.to_string())));
    }
  }
  std::string config = one_line(config_of(slot, config_id).to_string());
  config.append(widest->second - std::min(widest->second, column_count(config)), ' ');
  const std::string key = one_line(slot.problem.key_text);
  const std::size_t config_columns = std::max(widest->second, column_count(config));
  // The key goes by the longest end of a line, so that it looks alike in all lines on the problem.
  const auto left_of = [&](std::size_t others) {
    const std::size_t taken = sign.size() + 2 + config_columns + 2 + others;
    return line_columns - std::min(taken, line_columns);
  };
  const std::size_t least_key = std::min(column_count(key), least_columns);
  const std::string name = name_within(slot.problem.name, left_of(end.size() + 2 + least_key));
  return name + "  " + short_key(key, left_of(tail_columns + column_count(name) + 2)) + "  " + config + "  " +
         end;
}

std::string Printer::name_within(const std::string& kernel, std::size_t columns) const {
  std::string region = one_line(region_);
  const std::string name = one_line(kernel);
  constexpr std::string_view between = ": ";
  const auto too_long = [&] { return column_count(region) + between.size() + column_count(name) > columns; };
  if (!too_long()) {
    return region + std::string(between) + name;
  }
  region = short_key(region, least_columns);
  const std::size_t taken = column_count(region) + between.size();
  return region + std::string(between) +
         (too_long() ? short_key(name, columns - std::min(taken, columns)) : name);
}

void Printer::rejected(const ProblemSlot& slot, std::size_t config_id, const std::string& reason) {
  if (prints_configs()) {
    write_in_columns(line_on(slot, config_id, "rejected: " + reason));
    printed_.insert({slot.index, config_id});
  }
}

void Printer::note_warmup(const ProblemSlot& slot, std::size_t config_id) {
  if (prints_configs()) {
    ++warmups_[{slot.index, config_id}];
  }
}

void Printer::measured(const ProblemSlot& slot, std::size_t config_id, const policy::Summary& time) {
  if (!prints_configs() || !printed_.insert({slot.index, config_id}).second) {
    return;
  }
  const auto warmups = static_cast<std::size_t>(warmups_[{slot.index, config_id}]);
  const std::string counts = counted(time.count, "sample") + ", " + counted(warmups, "warm-up") + " dropped";
  const std::string times =
      time.count == 0 ? "no valid time" : short_time(time.centre_ns) + " +- " + short_time(time.spread_ns);
  write_in_columns(line_on(slot, config_id, times + "  " + counts));
}

void Printer::chosen(const ProblemView& problem, policy::Statistic statistic) {
  any_choice_ = true;
  for (std::size_t id = 0; prints_configs() && id < problem.record->configs.size(); ++id) {
    const policy::Summary time = policy::summarize(problem.record->configs[id].samples_ns, statistic);
    if (time.count > 0) {
      measured(*problem.slot, id, time);
    }
  }
}

void Printer::end(const RegionReport& report) const {
  if (level_ == Print::nothing || !any_choice_) {
    return;
  }
  const Detail detail = prints_configs() ? Detail::why : Detail::choices;
  std::string block = std::string(sign) + one_line(region_) + ": choices";
  std::istringstream lines(report.to_string(detail, line_columns - sign.size()));
  for (std::string line; std::getline(lines, line);) {
    block += "\n" + std::string(sign) + one_line(line);
  }
  write_(block);
}

void Printer::failed(const TuningFailedError& error) const {
  if (level_ != Print::nothing) {
    const std::string text = error.what();
    write_in_columns(text.substr(0, text.find('\n')));
  }
}

std::string call_lines(const std::string& name, const std::string& key, const std::string& use) {
  constexpr std::string_view between = ": ";
  const std::string end = std::string(between) + one_line(use);
  const auto left_of = [&](std::size_t others) {
    const std::size_t taken = sign.size() + between.size() + column_count(end) + others;
    return line_columns - std::min(taken, line_columns);
  };
  std::string what = one_line(name);
  const std::string short_one = short_key(one_line(key), left_of(column_count(what)));
  what = short_key(what, left_of(column_count(short_one)));
  return signed_lines(what + std::string(between) + short_one + end);
}

void print_to_stderr(const std::string& lines) {
  const storage::FileSizeSignalBlock blocked;
  std::fprintf(stderr, "%s\n", lines.c_str());  // one call, so that other threads' lines are not among them
}

}  // namespace contextual::record
