#!/usr/bin/env bash
# Runs benchmarks/exchange_cost for several numbers of ranks on this machine.
#
#   benchmarks/exchange_cost.sh <program> [<ranks>...] [-- <option of the program>...]
#
# Ranks default to 2 3 4 8 16. More ranks than cores share them, and then the figures say little.
set -euo pipefail
if [ $# -eq 0 ]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
program="$1"
shift
ranks=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  ranks+=("$1")
  shift
done
[ $# -eq 0 ] || shift
[ ${#ranks[@]} -gt 0 ] || ranks=(2 3 4 8 16)
# mpirun may be run by root, as in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for count in "${ranks[@]}"; do
  if [ "$count" -gt "$(nproc)" ]; then
    echo "$count ranks share $(nproc) cores" >&2
  fi
  mpirun --oversubscribe -n "$count" "$program" "$@"
done
