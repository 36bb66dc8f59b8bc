#pragma once

/// \file
/// The command line of the programs that tune one layer spread over several GPUs.

#include "common/layer_program.hpp"
#include "common/printing.hpp"

#include <contextual/search.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace examples {

struct LayerCommandLine {
  LayerSizes sizes;
  bool fp16 = false;
  int warmup = 3;
  int repeat = 5;
  contextual::SearchLevel search = contextual::SearchLevel::normal;
  PrintedDetail detail;
  bool check = false;
  bool perf = false;
  int rounds = 21;
  std::string straggler;
  std::string log_directory = ".autotune_logs";

  /// The type that `fp16` says, in the sizes of the layer.
  LayerSizes typed_sizes() const;
};

/// Adds all options to `app`, which sets `command_line` when it parses.
void add_options(CLI::App& app, LayerCommandLine& command_line, const SizeTexts& texts);

}  // namespace examples
