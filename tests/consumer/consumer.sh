#!/usr/bin/env bash
# Does what README.md tells a newcomer to do, in a home of his own: installs the tree into ~/weir, takes main.cc and
# CMakeLists.txt from the blocks behind their marks, and types the session. It must print what the README shows.
#
#   consumer.sh README BUILD FOLDER COMPILER    where the README says g++-12, it is this compiler
set -euo pipefail
readme=$1
build=$2
folder=$3
compiler=$4

main() {
  rm -rf "$folder"
  mkdir -p "$folder/highest"
  export HOME=$folder
  cmake --install "$build" --prefix ~/weir >"$folder/install.log" || wrong "it cannot be installed: $(tail -n 5 "$folder/install.log")"
  block main.cc >"$folder/highest/main.cc"
  block CMakeLists.txt >"$folder/highest/CMakeLists.txt"
  block session >"$folder/session"
  cd "$folder/highest"
  type_session >"$folder/typed" 2>&1 || true
  diff "$folder/session" "$folder/typed" || wrong "the session of README.md (<) does not go as it shows (>)"
}

wrong() {
  echo "FAILED: $*" >&2
  exit 1
}

# What stands in the block of code behind a mark.
block() {  # block MARK
  awk -v mark="<!-- $1 -->" '
    $0 == mark { is_marked = 1; next }
    is_marked && /^```/ { if (is_open) { is_whole = 1; exit } is_open = 1; next }
    is_open { print }
    END { exit !is_whole }' "$readme" || wrong "README.md has no whole block behind <!-- $1 -->"
}

# Types the commands, which stand behind a $, with the compiler of this build, and shows them and what they print.
type_session() {
  local command
  while IFS= read -r command; do
    echo "$ $command"
    bash -c "${command//g++-12/$compiler}" || echo "status $?"
  done < <(sed -n 's/^\$ //p' "$folder/session")
}

main
