# The commands that run something that was built: simulator, benches, fuzzers, scripts.
#
# What they expect of others:
#   weir_sim                  a target and executable of tests/simulation:
#                             run SEED | swarm N [OPTION...] | seeds | mutants | crashes
#   bench_NAME, NAME_bench    targets of the release preset; bench_NAME takes --json FILE
#   tests/e2e/NAME.sh         finds the executables below $WEIR_BUILD_DIR
#   tools/demo.sh             likewise, from the release preset
#   NAME_fuzz                 a target of the fuzz preset

readonly simulator=tests/simulation/weir_sim

# Names the source in what a failing run prints.
export_commit() {
  WEIR_COMMIT=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
  [ -z "$(git status --porcelain 2>/dev/null)" ] || WEIR_COMMIT+=+changes
  export WEIR_COMMIT
}

dev_sim() {
  local seed=${1:-$((RANDOM << 15 | RANDOM))}
  export_commit
  build dev weir_sim
  "build/dev/$simulator" run "$seed" "${@:2}"
}

dev_swarm() {
  [ $# -gt 0 ] || stop 2 "usage: ./dev swarm N [OPTION...]"
  export_commit
  build dev weir_sim
  "build/dev/$simulator" swarm "$@"
}

dev_demo() {
  [ -x tools/demo.sh ] || stop 2 "there is no tools/demo.sh"
  build release word_count
  WEIR_BUILD_DIR=$PWD/build/release exec tools/demo.sh "$@"
}

dev_e2e() {
  local script
  build dev
  export WEIR_BUILD_DIR=$PWD/build/dev
  if [ $# -gt 0 ]; then
    script=tests/e2e/$1.sh
    [ -x "$script" ] || stop 2 "there is no $script"
    exec "$script" "${@:2}"
  fi
  for script in tests/e2e/*.sh; do
    [ ! -x "$script" ] || counted "$script" "$script"
  done
  close_count
}

dev_fuzz() {
  [ $# -gt 0 ] || stop 2 "usage: ./dev fuzz TARGET [SECONDS]"
  local target=${1%_fuzz}_fuzz seconds=${2:-60}
  build fuzz "$target"
  fuzz_for "$target" "$seconds"
}

# Inputs that found something new stay in build/corpus, those that failed beside them.
fuzz_for() {  # fuzz_for TARGET SECONDS
  local corpus=build/corpus/$1
  mkdir -p "$corpus"
  "$(executable fuzz "$1")" "$corpus" -max_total_time="$2" -artifact_prefix="build/corpus/$1-" \
    -print_final_stats=1
}

dev_bench() {
  [ $# -gt 0 ] || stop 2 "usage: ./dev bench NAME [--against REV] [OPTION...]"
  local name=$1 against="" options=()
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --against)
        against=${2:?--against needs a revision}
        shift
        ;;
      *) options+=("$1") ;;
    esac
    shift
  done
  mkdir -p build/bench
  bench_here "$name" "$PWD/build/bench/$name.json" ${options[@]+"${options[@]}"}
  [ -z "$against" ] || bench_against "$against" "$name" ${options[@]+"${options[@]}"}
}

bench_here() {  # bench_here NAME FILE [OPTION...]
  local name=$1 file=$2 target
  configure release
  target=$(first_target release "bench_$name" "${name}_bench") || stop 2 "there is no bench $name"
  build release "$target"
  case $target in
    bench_*) "$(executable release "$target")" --json "$file" "${@:3}" ;;
    *) "$(executable release "$target")" "${@:3}" ;;
  esac
}

# Builds the other revision in a folder of its own, measures it there, and compares the two tables.
bench_against() {  # bench_against REV NAME [OPTION...]
  local revision=$1 name=$2 folder=$PWD/build/against/$1
  need git python3
  [ -e "$folder/.git" ] || git worktree add --detach "$folder" "$revision"
  git -C "$folder" checkout -q --detach "$(git rev-parse "$revision")"
  (cd "$folder" && ./dev bench "$name" "${@:3}")
  tools/compare_bench "$folder/build/bench/$name.json" "build/bench/$name.json"
}

first_target() {  # first_target PRESET TARGET...
  local preset=$1 target
  for target in "${@:2}"; do
    if has_target "$preset" "$target"; then
      echo "$target"
      return
    fi
  done
  return 1
}

has_target() { ninja -C "build/$1" -t query "$2" >/dev/null 2>&1; }

executable() {  # executable PRESET TARGET
  local found
  found=$(find "build/$1" -type f -name "$2" -perm -u+x -print -quit)
  [ -n "$found" ] || stop 1 "build/$1 has no executable $2"
  echo "$found"
}
