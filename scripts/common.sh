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

# NVLink's multicast stays off in everything that is run here: some machines do not allow it, and figures would not compare.
export NCCL_NVLS_ENABLE=0 TORCH_SYMM_MEM_DISABLE_MULTICAST=1 NVSHMEM_DISABLE_NVLS=1

# "${mpirun[@]}" -n <ranks> <program>: ranks may share cores, and mpirun may be run by root, as in a container. Each rank
# has several threads, but Open MPI would bind it to one core.
# shellcheck disable=SC2034 # used by the scripts that source this
readonly mpirun=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  mpirun -x NCCL_NVLS_ENABLE -x TORCH_SYMM_MEM_DISABLE_MULTICAST -x NVSHMEM_DISABLE_NVLS)

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

# The header is where Open MPI's compiler wrapper looks for it.
has_mpi_header() {
  has_command mpicxx && echo '#include <mpi.h>' | mpicxx -E -x c++ - >/dev/null 2>&1
}

# The CUDA toolkit 13 or newer with its compiler; a GPU is not needed to build with it. An older one is not used.
has_cuda_toolkit() {
  local nvcc
  nvcc="$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")"
  [ -x "$nvcc" ] && at_least "$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" 13.0
}

# What is built unless a preset is named: the CUDA parts where the toolkit is.
default_preset() { if has_cuda_toolkit; then echo cuda; else echo cpu; fi; }

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

# Prints clang's major version; without clang that of the package `clang`.
clang_version() {
  if has_command clang++; then
    clang++ -dumpversion | cut -d. -f1
  elif [ "$(supported_system)" = 'ubuntu 24.04' ]; then
    echo 18
  else
    echo 14
  fi
}

# The runtime of clang's sanitizers, which Debian has in a package of its own.
has_clang_sanitizers() {
  has_command clang++ && echo 'int main() {}' | clang++ -fsanitize=address -x c++ -o /dev/null - 2>/dev/null
}

# Prints the Debian packages that are missing for building and testing; with "ci" also for the checks, with "docs" those for
# scripts/docs alone.
missing_packages() {
  if [ "${1:-}" = docs ] || [ "${1:-}" = ci ]; then
    has_command doxygen || echo doxygen
  fi
  [ "${1:-}" != docs ] || return 0
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
  has_mpi_header || echo libopenmpi-dev
  { has_command mpirun && has_command mpicxx; } || echo openmpi-bin
  if [ "${1:-}" = ci ]; then
    tool_14 clang-format >/dev/null || echo clang-format-14
    tool_14 clang-tidy >/dev/null || echo clang-tidy-14
    has_command clang++ || echo clang
    has_command pkg-config || echo pkgconf
    has_command make || echo make
    has_clang_sanitizers || echo "libclang-rt-$(clang_version)-dev"
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
Catch2 2 or 3, CLI11 2, Google Benchmark, Open MPI (or another MPI 3.1, with mpirun and mpicxx); for the checks clang-format 14, clang-tidy 14, clang
and Doxygen. Libraries in
a prefix of their own are found through CMAKE_PREFIX_PATH. Then run this script again.
EOF
  exit "$exit_missing"
}

# only_mpi <package>...: nothing else is missing.
only_mpi() {
  local package
  for package in "$@"; do
    case "$package" in
      libopenmpi-dev | openmpi-bin) ;;
      *) return 1 ;;
    esac
  done
}

# install_missing [ci|docs]: does nothing, and needs no network, where nothing is missing. Without MPI the parts for
# several ranks are left out; with "ci" or "docs" nothing may be left out.
install_missing() {
  local missing system reason="Still missing after the installation."
  missing="$(missing_packages "${1:-}" | tr '\n' ' ' | sed 's/ $//')"
  [ -n "$missing" ] || return 0
  if system="$(supported_system)"; then
    say "Installing on $system: $missing"
    # shellcheck disable=SC2086 # a list of package names
    { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install --yes --no-install-recommends $missing; } ||
      reason="Could not install (no rights, or no package source)."
  else
    reason="This system is not one this script can install on."
  fi
  missing="$(missing_packages "${1:-}" | tr '\n' ' ' | sed 's/ $//')"
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  if [ -z "${1:-}" ] && only_mpi $missing; then
    say "$reason Going on without MPI: the parts for several ranks are left out (missing: $missing)"
    return 0
  fi
  explain_missing "$reason" "$missing"
}

# has_target <preset> <target>: in a build folder that has been configured. grep reads to the end: with -q it would leave
# early, and the pipe fail.
has_target() { cmake --build --preset "$1" --target help 2>/dev/null | grep "^$2:" >/dev/null; }

# configure_and_build <preset> [<target>...]
configure_and_build() {
  local preset="$1"
  shift
  say "Configure and build (preset $preset)"
  cmake --preset "$preset" && cmake --build --preset "$preset" --parallel "$(job_count)" ${1:+--target "$@"}
}

# Shows each line that comes in place of the one before it, on stderr.
show_on_one_line() {
  local line
  while IFS= read -r line; do
    printf '\r\033[K%s' "${line:0:100}" >&2
  done
  printf '\r\033[K' >&2
}

# quietly <command>...: what it prints is shown only if it fails. Where stderr is a terminal, it shows the line that is
# the latest.
quietly() {
  local output code=0
  output="$(mktemp)"
  if [ -t 2 ]; then
    "$@" 2>&1 | tee "$output" | show_on_one_line || code=$?
  else
    "$@" >"$output" 2>&1 || code=$?
  fi
  [ "$code" -eq 0 ] || cat "$output" >&2
  rm -f "$output"
  return "$code"
}
