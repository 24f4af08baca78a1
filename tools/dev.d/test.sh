# ./dev test: everything that a change owes, and one closing line with the count.

# Which modules run under which sanitizer too, by the beginning of their place in the floor plan.
readonly asan_modules="types state storage"
readonly tsan_modules="exchange task env/posix"
# And which tests of no single module.
readonly tsan_tests="engine_stress_test"

dev_ci() { CI=true dev_test "$@"; }

dev_test() {
  local all="" name=""
  for argument in "$@"; do
    case $argument in
      --all) all=yes ;;
      -*) stop 2 "usage: ./dev test [NAME] [--all]" ;;
      *) name=$argument ;;
    esac
  done
  export_commit
  if [ -n "$name" ]; then
    test_matching "$name"
  elif [ -n "$all" ]; then
    test_everything
  else
    test_what_a_change_owes
  fi
  close_count
}

test_what_a_change_owes() {
  if build_counted dev; then
    run_ctest dev
    [ -z "${CI:-}" ] || test_what_review_asks
    test_beyond_ctest
  fi
  # shellcheck disable=SC2046
  test_modules_under asan $(tests_of_modules "$asan_modules")
  # shellcheck disable=SC2046
  test_modules_under tsan $(tests_of_modules "$tsan_modules") $tsan_tests
}

# What `./dev check` shows a developer, as far as it takes no second build.
test_what_review_asks() {
  counted "headers stand alone" build dev headers_alone
  # shellcheck disable=SC2086
  need $packages_format
  counted "format" check_format
  counted "ratchets" tools/ratchet --counts
}

test_everything() {
  local preset target
  for preset in dev release-test asan tsan lint; do
    if build_counted "$preset"; then run_ctest "$preset"; fi
  done
  counted "headers stand alone" build dev headers_alone
  test_beyond_ctest
  build_counted release || true
  if build_counted fuzz; then
    for target in $(fuzz_targets); do counted "fuzz $target for 10 s" fuzz_for "$target" 10; done
  fi
}

test_matching() {  # test_matching NAME
  configure dev
  # shellcheck disable=SC2046
  build_counted dev $(targets_matching "$1") || return 0
  run_ctest dev -R "$1"
}

# --- what is not in ctest because it takes the whole engine ---------------------------------------------

test_beyond_ctest() {
  if [ -f tests/simulation/CMakeLists.txt ]; then
    run_seeds
    run_mutants
    run_exhaustive_crashes
  fi
  run_e2e_smoke
}

# The fixed list of 300 seeds, each twice in separate processes.
run_seeds() { counted "300 seeds" "build/dev/$simulator" seeds; }

# Every bug that is compiled in on purpose must be noticed.
run_mutants() { counted "mutants" "build/dev/$simulator" mutants; }

# Three tiny jobs, crashed after every single I/O call.
run_exhaustive_crashes() { counted "exhaustive crashes" "build/dev/$simulator" crashes; }

run_e2e_smoke() {
  [ -x tests/e2e/smoke.sh ] || return 0
  section "real processes: smoke"
  WEIR_BUILD_DIR=$PWD/build/dev tests/e2e/smoke.sh | tee build/smoke.txt || true
  count_script "real processes: smoke" build/smoke.txt
}

# Adds the count in the last line of what a script printed; one that did not come so far is one failure.
count_script() {  # count_script TITLE FILE
  local title=$1 counted='^([0-9]+) passed, ([0-9]+) failed(, ([0-9]+) skipped)?$'
  if ! [[ $(tail -n 1 "$2") =~ $counted ]]; then
    fail_one "$title: it did not come to its end"
    return
  fi
  count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]:-0}"
  while read -r line; do failures+=("$title: ${line#FAILED   }"); done < <(grep '^FAILED ' "$2")
}

# --- ctest ------------------------------------------------------------------------------------------------

# build_counted PRESET [TARGET...]: a build that fails is one failure; one that works counts for nothing.
build_counted() {
  section "build $1"
  build "$@" || { fail_one "the build of preset $1" && return 1; }
}

test_modules_under() {  # test_modules_under PRESET TEST...
  local preset=$1 pattern
  shift
  [ $# -gt 0 ] || return 0
  build_counted "$preset" "$@" || return 0
  pattern=$(IFS='|' && echo "$*")
  run_ctest "$preset" -R "^($pattern)\$"
}

# run_ctest PRESET [CTEST OPTION...] adds what ctest reports to the count.
run_ctest() {
  local preset=$1 report=$PWD/build/$1/ctest.xml status=0 failed_before=$failed
  shift
  section "test $preset${*:+ ($*)}"
  rm -f "$report"
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --parallel "$(parallel)" \
    --label-exclude "^no-$preset\$" --output-junit "$report" "$@" || status=$?
  count_report "$preset" "$report"
  if [ "$status" != 0 ] && [ "$failed" = "$failed_before" ]; then
    fail_one "ctest of preset $preset ended with status $status"
  fi
}

parallel() { echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"; }

count_report() {  # count_report PRESET JUNIT_FILE
  local preset=$1 report=$2 tests unable bad left_out
  if [ ! -s "$report" ] || ! tests=$(junit_attribute tests "$report"); then
    fail_one "ctest of preset $preset ran nothing"
    return
  fi
  unable=$(unable_to_run "$report" | wc -l)
  bad=$(($(junit_attribute failures "$report") + unable))
  left_out=$(($(junit_attribute skipped "$report") + $(junit_attribute disabled "$report") - unable))
  count $((tests - bad - left_out)) "$bad" "$left_out"
  while read -r name; do failures+=("$name ($preset)"); done < <(
    sed -n 's/.*<testcase name="\([^"]*\)".*status="fail".*/\1/p' "$report" && unable_to_run "$report"
  )
}

# The tests that ctest calls skipped although they did not ask for it: no executable, a file missing, ...
unable_to_run() {  # unable_to_run JUNIT_FILE
  awk '/<testcase name="/ { split($0, part, "\""); name = part[2] }
       /<skipped message="/ && !/message="SKIP_/ && !/message="Disabled/ { print name }' "$1"
}

# An attribute of the test suite, which stands at the top of the file.
junit_attribute() {  # junit_attribute NAME FILE
  local value
  value=$(sed -n "1,/<testcase/{s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p}" "$2" | head -n 1)
  [ -n "$value" ] && echo "$value"
}

# The ctest targets of the modules whose place in the floor plan begins with one of the words.
tests_of_modules() {  # tests_of_modules "PREFIX PREFIX..."
  local module prefix
  for module in $(floor_plan); do
    compgen -G "src/weir/$module/*_test.cc" >/dev/null || continue
    for prefix in $1; do
      case $module in "$prefix" | "$prefix"/*) echo "weir_${module//\//_}_test" ;; esac
    done
  done
}

floor_plan() {
  sed -n '/^set(WEIR_FLOOR_PLAN/,/)/{s/#.*//;s/set(WEIR_FLOOR_PLAN//;s/)//;p}' cmake/floor_plan.cmake
}

# The targets behind the ctest entries that match; an entry without one is a script.
targets_matching() {  # targets_matching NAME
  local name found=()
  for name in $(ctest --test-dir build/dev -N -R "$1" | sed -n 's/^ *Test *#[0-9]*: //p'); do
    if has_target dev "$name"; then found+=("$name"); fi
  done
  echo "${found[@]-}"
}

fuzz_targets() {
  find src -name '*_fuzz.cc' -exec basename {} .cc \; | sort
}

# The tests write what they would have compared with.
dev_rewrite() {  # dev_rewrite [NAME]
  export WEIR_REWRITE=1
  test_matching "${1:-.}"
  close_count
}
