# Shared by the scripts here. Sourced, not run.
#
# Finds out what is missing by looking for commands and headers, so that nothing is asked of the network
# where everything is there. Exit codes: 3 something is missing and cannot be installed here.

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly repository
readonly exit_missing=3

say() { printf '\n== %s\n' "$*"; }

job_count() { nproc 2>/dev/null || echo 2; }

has_command() { command -v "$1" >/dev/null 2>&1; }

# has_header <header>...: one of them can be included, from the compiler's path or from CMAKE_PREFIX_PATH.
has_header() {
  local compiler="${CXX:-g++}" header prefix
  local -a prefixes=() include=()
  has_command "$compiler" || return 1
  IFS=':;' read -r -a prefixes <<<"${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    include+=(-isystem "$prefix/include")
  done
  for header in "$@"; do
    if printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$header" |
      "$compiler" -std=c++20 "${include[@]}" -E -x c++ - >/dev/null 2>&1; then
      return 0
    fi
  done
  return 1
}

# at_least <version> <wanted>
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

has_cmake() {
  has_command cmake && at_least "$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')" 3.25
}

# tool_14 <name>: prints the command of version 14 of a clang tool. The version is fixed because others
# format and complain differently.
tool_14() {
  if has_command "$1-14"; then
    echo "$1-14"
  elif has_command "$1" && "$1" --version | grep -q 'version 14\.'; then
    echo "$1"
  else
    return 1
  fi
}

# Prints the Debian packages that are missing for building and testing; with "ci" also for the checks.
missing_packages() {
  has_command g++ || has_command "${CXX:-g++}" || echo g++
  has_cmake || echo cmake
  has_command ninja || echo ninja-build
  has_command python3 || echo python3
  # Without a compiler nothing is known about headers: all of them are asked for, apt knows better.
  has_header spdlog/spdlog.h || echo libspdlog-dev
  has_header nlohmann/json.hpp || echo nlohmann-json3-dev
  has_header catch2/catch_all.hpp catch2/catch.hpp || echo catch2
  has_header CLI/CLI.hpp || echo libcli11-dev
  has_header benchmark/benchmark.h || echo libbenchmark-dev
  if [ "${1:-}" = ci ]; then
    tool_14 clang-format >/dev/null || echo clang-format-14
    tool_14 clang-tidy >/dev/null || echo clang-tidy-14
  fi
}

# Prints the system's name when it is one that the package names are known for.
supported_system() {
  local ID='' VERSION_ID=''
  [ -r /etc/os-release ] && . /etc/os-release
  case "$ID $VERSION_ID" in
    'debian 12' | 'ubuntu 24.04') has_command apt-get && echo "$ID $VERSION_ID" ;;
    *) return 1 ;;
  esac
}

# Runs a command as root, directly or through sudo; asks for a password only where someone can answer.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif has_command sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    sudo "$@"
  else
    return "$exit_missing"
  fi
}

explain_missing() {
  cat >&2 <<EOF
$1
Missing, by their names on Debian 12 and Ubuntu 24.04:
  $2
There:
  apt-get update && apt-get install --no-install-recommends $2
Elsewhere install a C++20 compiler (g++ 12 or newer), CMake 3.25, Ninja, Python 3, spdlog with fmt, nlohmann/json 3,
Catch2 2 or 3, CLI11 2, Google Benchmark; for the checks clang-format 14 and clang-tidy 14. Libraries in
a prefix of their own are found through CMAKE_PREFIX_PATH. Then run this script again.
EOF
  exit "$exit_missing"
}

# install_missing [ci]: does nothing, and needs no network, where nothing is missing.
install_missing() {
  local missing system
  missing="$(missing_packages "${1:-}" | tr '\n' ' ' | sed 's/ $//')"
  [ -n "$missing" ] || return 0
  system="$(supported_system)" || explain_missing "This system is not one this script can install on." "$missing"
  say "Installing on $system: $missing"
  # shellcheck disable=SC2086 # a list of package names
  if ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends $missing; }; then
    explain_missing "Could not install (no rights, or no package source)." "$missing"
  fi
  missing="$(missing_packages "${1:-}" | tr '\n' ' ' | sed 's/ $//')"
  [ -z "$missing" ] || explain_missing "Still missing after the installation." "$missing"
}

# configure_and_build <preset> [<target>...]
configure_and_build() {
  local preset="$1"
  shift
  say "Configure and build (preset $preset)"
  cmake --preset "$preset"
  cmake --build --preset "$preset" --parallel "$(job_count)" ${1:+--target "$@"}
}
