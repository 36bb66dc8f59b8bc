/// \file
/// contextual-cache: shows and manages the choices that are kept in a cache directory.

#include "cache/command.hpp"

#include <contextual/cache_directory.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>

namespace {

using contextual::cache_tool::Command;
using contextual::cache_tool::Verb;

CLI::App* add(CLI::App& app, Command& command, Verb verb, const std::string& name, const std::string& what) {
  CLI::App* const sub = app.add_subcommand(name, what);
  sub->callback([&command, verb] { command.verb = verb; });
  return sub;
}

void add_region(CLI::App& sub, Command& command, bool required) {
  sub.add_option(required ? "REGION" : "--region", command.region, "the region's name")->required(required);
}

void add_kernel(CLI::App& sub, Command& command) {
  sub.add_option("--kernel", command.kernel, "only this kernel or coupling");
}

CLI::Option* add_set(CLI::App& sub, Command& command, bool required) {
  return sub.add_option("SET", command.set, "a set's name, as `list` shows it, or a part of it")
      ->required(required);
}

void add_verbs(CLI::App& app, Command& command) {
  const auto json = [&](CLI::App& sub) { sub.add_flag("--json", command.json, "as JSON"); };
  CLI::App* const list = add(app, command, Verb::list, "list", "one line a set and one a pin");
  add_region(*list, command, false);
  json(*list);
  CLI::App* const show = add(app, command, Verb::show, "show",
                             "all of a set, whether it would be used here, and why its configs were chosen");
  show->alias("why");
  add_set(*show, command, true);
  json(*show);
  CLI::App* const prune =
      add(app, command, Verb::prune, "prune", "removes damaged sets, and files that are left over");
  prune->add_option("--older-than", command.older_than_days, "also removes sets that are older, in days")
      ->check(CLI::Range(0, 36'500));
  prune->add_flag("--dry-run", command.dry_run, "only says what would be removed");
  CLI::App* const forget = add(app, command, Verb::forget, "forget", "drops a region's sets and quarantine");
  add_region(*forget, command, true);
  forget->add_option("--kernel", command.kernel, "only sets in which this kernel or coupling is");
  CLI::App* const write = add(app, command, Verb::export_choices, "export",
                              "writes the sets that count as one text, or into a directory");
  add_region(*write, command, false);
  CLI::Option* const output =
      write->add_option("--output", command.file, "the file; else the standard output");
  write->add_option("--to", command.to, "a directory for CONTEXTUAL_CHOICES_PATH instead")->excludes(output);
  CLI::App* const read = add(app, command, Verb::import_choices, "import",
                             "adds the sets of such a text that no newer one replaces");
  read->add_option("FILE", command.file, "the file; else the standard input");
  CLI::App* const pin =
      add(app, command, Verb::pin, "pin",
          "pins a set, or by --region, --kernel and --config one config, which is then never "
          "tuned");
  CLI::Option* const set = add_set(*pin, command, false);
  add_region(*pin, command, false);
  add_kernel(*pin, command);
  CLI::Option* const key =
      pin->add_option("--key", command.key, "the key as reports have it; else every key");
  CLI::Option* const config =
      pin->add_option("--config", command.config, R"(all names and values as JSON: '{"BLOCK": 64}')");
  CLI::Option* const config_id =
      pin->add_option("--config-id", command.config_id, "the config's number instead, always for a coupling")
          ->check(CLI::NonNegativeNumber)
          ->excludes(config);
  set->excludes(key)->excludes(config)->excludes(config_id);  // it is pinned as it was chosen
  CLI::App* const unpin = add(app, command, Verb::unpin, "unpin", "removes the pins of a region");
  add_region(*unpin, command, true);
  add_kernel(*unpin, command);
}

}  // namespace

int main(int argc, char** argv) {
  using namespace contextual::cache_tool;
  Command command;
  command.directory = contextual::cache_directory();
  CLI::App app{
      "Shows and manages the choices that are kept in a cache directory.\n"
      "Exit codes: 0 all is well, 1 a file or the output could not be used, 2 no such set, or a wrong "
      "argument.",
      "contextual-cache"};
  app.add_option("--dir", command.directory, "the directory; CONTEXTUAL_CACHE_DIR, else ~/.contextual")
      ->capture_default_str();
  app.require_subcommand(1);
  app.fallthrough();  // `list --dir X` as well as `--dir X list`
  add_verbs(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_fine : exit_not_found;
  }
  try {
    return run_command(command, std::cin, std::cout, std::cerr);
  } catch (const std::exception& error) {
    std::cerr << "contextual-cache: " << error.what() << "\n";
    return exit_problems;
  }
}
