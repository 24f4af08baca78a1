#!/usr/bin/env bash
# The test of ./dev: its functions, with apt-get, sudo, id and dpkg-query played by small scripts.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0

expect() {  # expect WHAT WANTED GOT
  if [ "$2" != "$3" ]; then
    printf '%s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
    wrong=1
  fi
}

expect_part() {  # expect_part WHAT PART TEXT
  if [[ $3 != *"$2"* ]]; then
    printf '%s\n  wanted a part: %s\n  got: %s\n' "$1" "$2" "$3"
    wrong=1
  fi
}

# Runs commands in a new shell that has the functions of ./dev, in the work folder.
with_dev() {
  (cd "$work" && PATH=$work/bin:$PATH bash -euo pipefail -c '
    for part in say packages build test check run; do source "$0/tools/dev.d/$part.sh"; done
    eval "$1"' "$root" "$1" 2>&1) || echo "status $?"
}

play() {  # play COMMAND SCRIPT
  mkdir -p "$work/bin"
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# --- packages ---------------------------------------------------------------------------------------------

play dpkg-query 'echo "installed here"; echo "config-files gone"; exit 1'
play apt-get "echo apt-get \"\$@\" | sed 's/-o [^ ]* //g' >>$work/calls
case \"\$*\" in *install*) test -e $work/lists ;; *update*) touch $work/lists ;; esac"
play id 'echo 0'

expect "what is missing" "absent gone " "$(with_dev 'missing_of here absent gone')"
expect "nothing missing, nothing said" "" "$(with_dev 'need here')"
expect_part "the extra packages are needed too" "installing with apt: absent" "$(WEIR_EXTRA_PACKAGES=absent with_dev 'need here')"

rm -f "$work/calls" "$work/lists"
expect "root installs, and says what" "dev: installing with apt: absent" "$(with_dev 'need here absent')"
expect "lists are updated only when needed" "apt-get install -y -qq --no-install-recommends --no-remove absent
apt-get update -qq
apt-get install -y -qq --no-install-recommends --no-remove absent" "$(cat "$work/calls")"

rm -f "$work/calls"
with_dev 'need here absent' >/dev/null
expect "with good lists one call does it" "1" "$(wc -l <"$work/calls")"

play apt-get 'echo "Could not resolve host" >&2; exit 100'
answer=$(with_dev 'need here absent gone')
expect_part "without a network it names what is missing" "is there a network?): absent gone" "$answer"
expect_part "without a network it shows why" "Could not resolve host" "$answer"
expect_part "without a network it stops with 3" "status 3" "$answer"

play id 'echo 1000'
play sudo 'exit 1'
answer=$(with_dev 'need here absent </dev/null')
expect_part "who may not install is told" "This user may not install them" "$answer"
expect_part "who may not install gets the one line" \
  "apt-get update && apt-get install -y --no-install-recommends absent" "$answer"
expect_part "who may not install stops with 3" "status 3" "$answer"

play sudo "if [ \"\$1\" = -n ]; then exit 0; fi; echo sudo >>$work/calls; exec \"\$@\""
play apt-get 'exit 0'
rm -f "$work/calls"
with_dev 'need here absent' >/dev/null
expect "a user with sudo uses it" "sudo" "$(cat "$work/calls")"

# --- git may be absent -------------------------------------------------------------------------------------

mkdir -p "$work/bare"
for command in bash sh cat date sed grep tr head; do ln -sf "$(command -v $command)" "$work/bare/$command"; done
without_git() {  # without_git COMMANDS, where there is no git
  (cd "$work" && PATH=$work/bare bash -euo pipefail -c '
    for part in say packages build test check run; do source "$0/tools/dev.d/$part.sh"; done
    eval "$1"' "$root" "$1" 2>&1) || echo "status $?"
}
expect "the commit has no name without git" "unknown" "$(without_git 'export_commit; echo $WEIR_COMMIT')"
expect "without git tidy says so and passes" "dev: without git nobody knows what changed: skipped
passed" "$(without_git 'check_tidy && echo passed')"
expect_part "what needs git names it where it cannot be had" "missing: git." \
  "$(play id 'echo 1000'; with_dev 'may_sudo() { false; }; need git')"

# --- checking ---------------------------------------------------------------------------------------------

(cd "$work" && mkdir -p src tests examples bench && touch src/x.cc src/x_test.cc bench/y_bench.cc)
play clang-tidy-14 'echo "tidy ${*#-p build/lint}"; case "$*" in *bad.cc*) exit 1 ;; esac'
tidied=$(with_dev 'build() { :; }; check_tidy --all && echo passed')
expect "all files are tidied, also those that never changed" "bench/y_bench.cc src/x.cc src/x_test.cc " \
  "$(sed -n 's/^tidy .* //p' <<<"$tidied" | sort | tr '\n' ' ')"
expect "the analyzer is spared in tests only" "src/x_test.cc" \
  "$(sed -n 's/^tidy .*-clang-analyzer.* //p' <<<"$tidied")"
expect "no finding, no failure" "passed" "$(tail -n 1 <<<"$tidied")"
touch "$work/src/bad.cc"
expect "a finding among the sources fails, after the tests were looked at" "x_test.cc failed" \
  "$(with_dev 'build() { :; }; check_tidy --all || echo failed' | sed -n 's|^tidy .*/x_test|x_test|p; /failed/p' | tr '\n' ' ' | sed 's/ $//')"
expect_part "check takes no other word" "usage: ./dev check [--all]" "$(with_dev 'dev_check --everything')"

# --- building ---------------------------------------------------------------------------------------------

play uname 'echo x86_64'
echo "flags : sse2 avx avx2 bmi2" >"$work/new"
echo "flags : sse2 avx" >"$work/old"
expect "a machine with AVX2 keeps the pin" "" "$(WEIR_CPUINFO=new with_dev 'arch_argument release')"
expect "a machine without does not" "-DWEIR_ARCH=x86-64" "$(WEIR_CPUINFO=old with_dev 'arch_argument release')"
expect "the other presets have no pin" "" "$(WEIR_CPUINFO=old with_dev 'arch_argument dev')"
play uname 'echo aarch64'
expect "another processor has its own default" "-DWEIR_ARCH=" "$(WEIR_CPUINFO=new with_dev 'arch_argument release')"
expect_part "an unknown preset" "there is no preset nonsense" "$(with_dev 'build nonsense')"

# --- counting ---------------------------------------------------------------------------------------------

cat >"$work/report.xml" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)"
	tests="6"
	failures="1"
	disabled="1"
	skipped="2"
	time="0"
	>
	<testcase name="good" classname="good" time="0.1" status="run">
		<system-out>tests="99" failures="99"</system-out>
	</testcase>
	<testcase name="also_good" classname="also_good" time="0.1" status="run"/>
	<testcase name="bad" classname="bad" time="0.1" status="fail">
		<failure message=""/>
	</testcase>
	<testcase name="absent" classname="absent" time="0" status="notrun">
		<skipped message="Unable to find executable"/>
	</testcase>
	<testcase name="left_out" classname="left_out" time="0" status="notrun">
		<skipped message="SKIP_RETURN_CODE=77"/>
	</testcase>
	<testcase name="off" classname="off" time="0" status="disabled">
		<skipped message="Disabled"/>
	</testcase>
</testsuite>
XML
answer=$(with_dev 'count_report dev report.xml; close_count')
expect "a test that could not run has failed" "2 passed, 2 failed, 2 skipped" "$(tail -n 2 <<<"$answer" | head -n 1)"
expect "a failure gives status 1" "status 1" "$(tail -n 1 <<<"$answer")"
expect_part "failures are named" "failed: bad (dev)" "$answer"
expect_part "tests that could not run are named" "failed: absent (dev)" "$answer"
expect "runs add up" "5 passed, 0 failed" "$(with_dev 'count 2 0 0; count 3 0 0; close_count' | tail -n 1)"
expect "nothing run is not success" "status 1" "$(with_dev 'close_count' | tail -n 1)"
expect_part "no report is a failure" "0 passed, 1 failed" "$(with_dev 'count_report dev absent.xml; close_count')"
printf 'ok       a\nFAILED   b: it hangs\n2 passed, 1 failed, 1 skipped\n' >"$work/script.txt"
answer=$(with_dev 'count_script smoke script.txt; close_count')
expect_part "what a script counted is added" "2 passed, 1 failed, 1 skipped" "$answer"
expect_part "what failed in a script is named" "failed: smoke: b: it hangs" "$answer"
printf 'ok       a\n' >"$work/script.txt"
expect_part "a script that broke off has failed" "0 passed, 1 failed" "$(with_dev 'count_script smoke script.txt; close_count')"
expect_part "a step that fails" "1 passed, 1 failed" "$(with_dev 'counted good true; counted bad false; close_count')"

# --- what runs where --------------------------------------------------------------------------------------

mkdir -p "$work/cmake" "$work"/src/weir/{types,state/heap,statement}
touch "$work"/src/weir/{types,state/heap,statement}/a_test.cc
printf '# the plan\nset(WEIR_FLOOR_PLAN\n    base types\n    state/api  # no tests\n    state/heap\n    statement)\n' \
  >"$work/cmake/floor_plan.cmake"
expect "modules are found by the beginning of their place" "weir_types_test
weir_state_heap_test" "$(with_dev 'tests_of_modules "types state storage"')"

steps='
  build_counted() { true; }
  run_ctest() { :; }
  test_beyond_ctest() { :; }
  test_modules_under() { :; }
  need() { echo "needs $*"; }
  counted() { echo "$1"; }
  test_what_a_change_owes'
expect "a developer has no format checked at each test" "" "$(CI="" with_dev "$steps")"
expect "CI checks the format and what is counted" "headers stand alone
needs clang-format-14
format
ratchets" "$(CI=true with_dev "$steps")"

[ "$wrong" = 0 ] && echo "dev: as expected"
exit "$wrong"
