#include "contextual/autotuner/resolved_options.hpp"

#include "contextual/policy/options_check.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

namespace contextual {
namespace {

struct DefaultOptions {
  std::mutex mutex;
  Options options;
};

DefaultOptions& default_options() {
  static auto* const options = new DefaultOptions;  // outlives static tuners
  return *options;
}

}  // namespace

void set_default_options(const Options& options) {
  DefaultOptions& defaults = default_options();
  const std::lock_guard lock(defaults.mutex);
  defaults.options = options;
}

namespace autotuner {
namespace {

std::optional<bool> parse_bool(const char* name, const std::optional<std::string>& text) {
  if (!text) {
    return std::nullopt;
  }
  if (*text == "1" || *text == "0") {
    return *text == "1";
  }
  throw InvalidArgument(std::string("environment variable ") + name + "=\"" + *text + "\": set it to 0 or 1");
}

Mode parse_mode(const std::string& text) {
  static const std::map<std::string, Mode, std::less<>> modes{
      {"tune", Mode::tune}, {"use", Mode::use}, {"off", Mode::off}};
  const auto mode = modes.find(text);
  if (mode == modes.end()) {
    throw InvalidArgument("environment variable CONTEXTUAL_MODE=\"" + text +
                          "\": set it to tune, use or off");
  }
  return mode->second;
}

std::string_view mode_text(Mode mode) {
  return mode == Mode::tune ? "tune" : mode == Mode::use ? "use" : "off";
}

/// Falls through the three sets of options, first one that is set wins.
struct Layers {
  const Options& call;
  const Options& tuner;
  const Options& process;

  template <typename T, typename Into>
  void take(std::optional<T> Options::*field, Into& into) const {
    for (const Options* layer : {&call, &tuner, &process}) {
      if (layer->*field) {
        into = static_cast<Into>(*(layer->*field));
        return;
      }
    }
  }
  template <typename T>
  void take(T Options::*field, T& into) const {
    for (const Options* layer : {&call, &tuner, &process}) {
      if (layer->*field) {
        into = layer->*field;
        return;
      }
    }
  }
};

}  // namespace

Environment parse_environment(const std::function<const char*(const char*)>& get) {
  const auto text = [&](const char* name) {
    const char* value = get(name);
    return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
  };
  Environment environment;
  if (const auto mode = text("CONTEXTUAL_MODE")) {
    environment.mode = parse_mode(*mode);
  }
  if (const auto directory = text("CONTEXTUAL_LOG_DIR")) {
    environment.log_directory = *directory;
  }
  environment.always_tune = parse_bool("CONTEXTUAL_ALWAYS_TUNE", text("CONTEXTUAL_ALWAYS_TUNE"));
  environment.print = parse_bool("CONTEXTUAL_PRINT_AUTOTUNING", text("CONTEXTUAL_PRINT_AUTOTUNING"));
  return environment;
}

const ReadEnvironment& environment() {
  static const ReadEnvironment* const read = [] {
    auto* const fresh = new ReadEnvironment;
    try {
      fresh->values = parse_environment([](const char* name) { return std::getenv(name); });
    } catch (const InvalidArgument& error) {
      fresh->error = error.what();
    }
    return fresh;
  }();
  return *read;
}

ResolvedOptions resolve(const Options& call, const Options& tuner, const ReadEnvironment& read) {
  const Environment& environment = read.values;
  Options process;
  {
    const std::lock_guard lock(default_options().mutex);
    process = default_options().options;
  }
  const Layers layers{call, tuner, process};
  ResolvedOptions options;
  layers.take(&Options::mode, options.mode);
  layers.take(&Options::n_warmup, options.policy.n_warmup);
  layers.take(&Options::n_repeat, options.policy.n_repeat);
  layers.take(&Options::finals, options.policy.finals);
  layers.take(&Options::finals_candidates, options.policy.finals_candidates);
  layers.take(&Options::finals_repeat, options.policy.finals_repeat);
  layers.take(&Options::finals_passes, options.policy.finals_passes);
  layers.take(&Options::finals_min_gain, options.policy.finals_min_gain);
  layers.take(&Options::tie_margin, options.policy.tie_margin);
  layers.take(&Options::statistic, options.policy.statistic);
  layers.take(&Options::settle_every, options.policy.settle_every);
  layers.take(&Options::max_iterations, options.policy.max_iterations);
  layers.take(&Options::max_problems, options.max_problems);
  layers.take(&Options::always_tune, options.always_tune);
  layers.take(&Options::deadline, options.deadline);
  layers.take(&Options::grace, options.grace);
  layers.take(&Options::times_count, options.times_count);
  layers.take(&Options::log_directory, options.log_directory);
  layers.take(&Options::print, options.print);
  layers.take(&Options::communicator, options.communicator);
  layers.take(&Options::timer, options.timer);
  layers.take(&Options::schedule, options.policy.schedule);
  layers.take(&Options::progress, options.progress);
  layers.take(&Options::on_deadline, options.on_deadline);
  layers.take(&Options::before_iteration, options.before_iteration);
  layers.take(&Options::after_iteration, options.after_iteration);
  // As long as a Deadline can be; sums and finer units of it do not overflow.
  constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 365 * 50);
  options.deadline = std::min(options.deadline, longest);
  options.grace = std::min(options.grace, longest);
  options.environment_error = read.error;
  options.mode = environment.mode.value_or(options.mode);
  options.always_tune = environment.always_tune.value_or(options.always_tune);
  options.print = environment.print.value_or(options.print);
  options.log_directory = environment.log_directory.value_or(options.log_directory);
  if (!options.communicator) {
    options.communicator = one_rank();
  }
  if (!options.timer) {
    options.timer = default_timer();
  }
  return options;
}

void validate(const ResolvedOptions& options) {
  if (!options.environment_error.empty()) {
    throw InvalidArgument(options.environment_error);
  }
  policy::check_options(options.policy);
  policy::require_at_least("max_problems", static_cast<std::int64_t>(options.max_problems), 1);
  policy::require_at_least("deadline (ms)", options.deadline.count(), 1);
  policy::require_at_least("grace (ms)", options.grace.count(), 0);
}

std::vector<std::string> ResolvedOptions::agreed_items() const {
  std::vector<std::string> items;
  const auto add_text = [&items](const char* name, const std::string& value) {
    items.push_back(std::string(name) + "=" + value);
  };
  const auto add = [&](const char* name, auto value) { add_text(name, std::to_string(value)); };
  const auto add_bool = [&](const char* name, bool value) { add_text(name, value ? "true" : "false"); };
  add_text("mode", std::string(mode_text(mode)));
  add("n_warmup", policy.n_warmup);
  add("n_repeat", policy.n_repeat);
  add("settle_every", policy.settle_every);
  add("max_iterations", policy.max_iterations);
  add("max_problems", max_problems);
  add_bool("always_tune", always_tune);
  add_text("statistic", policy.statistic == Statistic::median ? "median" : "trimmed_mean");
  add("tie_margin", policy.tie_margin);
  add_bool("finals", policy.finals);
  add("finals_candidates", policy.finals_candidates);
  add("finals_repeat", policy.finals_repeat);
  add("finals_passes", policy.finals_passes);
  add("finals_min_gain", policy.finals_min_gain);
  add_bool("own_schedule", static_cast<bool>(policy.schedule));
  return items;
}

std::string ResolvedOptions::agreed_text() const {
  std::string text;
  for (const std::string& item : agreed_items()) {
    text += (text.empty() ? "" : " ") + item;
  }
  return text;
}

}  // namespace autotuner
}  // namespace contextual
