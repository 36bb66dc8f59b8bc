#include "common/layer_command_line.hpp"

#include "common/report_options.hpp"
#include "common/search_level.hpp"

namespace examples {

LayerSizes LayerCommandLine::typed_sizes() const {
  using contextual::kernels::cuda::GemmType;
  LayerSizes typed = sizes;
  typed.type = fp16 ? GemmType::fp16 : GemmType::bf16;
  return typed;
}

void add_options(CLI::App& app, LayerCommandLine& command_line, const SizeTexts& texts) {
  const auto size = CLI::Range(1, 1 << 20);
  app.add_option("--m", command_line.sizes.m, texts.m)->check(size)->capture_default_str();
  app.add_option("--n", command_line.sizes.n, texts.n)->check(size)->capture_default_str();
  app.add_option("--k", command_line.sizes.k, texts.k)->check(size)->capture_default_str();
  app.add_flag("--fp16", command_line.fp16, "fp16 instead of bf16");
  app.add_option("--warmup", command_line.warmup, "uses of a config before its samples count")
      ->capture_default_str();
  app.add_option("--repeat", command_line.repeat, "samples of a config")->capture_default_str();
  add_search_option(app, command_line.search);
  app.add_flag("--check", command_line.check, "check the result of every tuning iteration");
  app.add_flag("--perf", command_line.perf, "print no report, only the comparison with the defaults");
  add_report_options(app, command_line.detail);
  app.add_option("--rounds", command_line.rounds, "runs with defaults and tuned after the tuning")
      ->check(size)
      ->capture_default_str();
  app.add_option("--straggler", command_line.straggler, "RANK:MS: this rank begins late in every run");
  app.add_option("--log-directory", command_line.log_directory, "where the logs go; empty: none")
      ->capture_default_str();
}

}  // namespace examples
