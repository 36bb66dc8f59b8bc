/// \file
/// Linked to programs that test or measure tuning: they do not begin with what another process has kept,
/// unless an option or the environment names a directory.

#include <contextual/options.hpp>

namespace {

[[maybe_unused]] const bool tunes_anew = [] {
  contextual::set_default_options({.cache_directory = ""});
  return true;
}();

}  // namespace
