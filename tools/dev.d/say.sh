# What ./dev says, and how it keeps count of what passed.

say() { printf 'dev: %s\n' "$*" >&2; }

stop() {  # stop STATUS SENTENCE...
  local status=$1
  shift
  say "$@"
  exit "$status"
}

# A heading with the time of day and the time since the start.
section() {
  printf '\n== %(%H:%M:%S)T +%d:%02d  %s\n' -1 $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

passed=0
failed=0
skipped=0
failures=()

count() {  # count PASSED FAILED SKIPPED
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

fail_one() {  # fail_one WHAT
  failures+=("$1")
  count 0 1 0
}

# Runs a command as one thing that passes or fails, under a heading.
counted() {  # counted TITLE COMMAND...
  local title=$1
  shift
  section "$title"
  if "$@"; then count 1 0 0; else fail_one "$title: $*"; fi
}

# The one closing line, and the status: 1 if something failed or nothing ran.
close_count() {
  local failure status=0
  section "result"
  for failure in ${failures[@]+"${failures[@]}"}; do printf 'failed: %s\n' "$failure"; done
  if [ "$failed" -gt 0 ] || [ "$passed" = 0 ]; then status=1; fi
  if [ "$skipped" -gt 0 ]; then
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  else
    printf '%d passed, %d failed\n' "$passed" "$failed"
  fi
  return "$status"
}
