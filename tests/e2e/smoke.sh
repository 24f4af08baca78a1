#!/usr/bin/env bash
# Real processes of word_count: killed, suspended, refused, on disks that are full, on checkpoints that are damaged.
#
#   tests/e2e/smoke.sh [CASE...]    with WEIR_BUILD_DIR; ends with a line "N passed, N failed[, N skipped]"
set -uo pipefail
export LC_ALL=C
# shellcheck source=words.sh
source "$(dirname "${BASH_SOURCE[0]}")/words.sh"
word_count=${WEIR_BUILD_DIR:?is set by ./dev test}/examples/word_count

# How long anything may take before it counts as hanging.
readonly patience=30

main() {
  local cases case passed=0 failed=0 skipped=0 status
  work=$(mktemp -d "${TMPDIR:-/tmp}/weir-smoke.XXXXXX")
  chmod 711 "$work"  # for the plain user of some cases
  trap clean_up EXIT
  trap 'exit 130' INT TERM
  make_input
  cases=("$@")
  [ $# -gt 0 ] || mapfile -t cases < <(declare -F | sed -n 's/^declare -f case_//p' | sort)
  for case in "${cases[@]}"; do
    mkdir "$work/$case"
    # What the shell says of processes that were killed is no news.
    (cd "$work/$case" && run_case "$case" 2>shell.log)
    status=$?
    case $status in
      0) passed=$((passed + 1)) ;;
      77) skipped=$((skipped + 1)) ;;
      *) failed=$((failed + 1)) ;;
    esac
  done
  printf '%d passed, %d failed' "$passed" "$failed"
  [ "$skipped" = 0 ] || printf ', %d skipped' "$skipped"
  echo
  [ "$failed" = 0 ]
}

clean_up() {
  ! mountpoint -q "$work/small" || umount "$work/small"
  rm -rf "$work"
}

# Runs a case in its own folder and process; what it started ends with it.
run_case() {  # run_case CASE
  title=$1
  pid=""
  trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null' EXIT
  "case_$1" && echo "ok       ${title//_/ }"
}

# A sentence on why the case failed, and what the process said last.
wrong() {
  echo "FAILED   ${title//_/ }: $*"
  if [ -f log ]; then tail -n 20 log | sed 's/^/    /'; fi
  exit 1
}

# --- the input and the process ------------------------------------------------------------------------

# Two files of four megabytes in all, made of few words so that many counts pass a thousand.
make_input() {
  mkdir "$work/in"
  for name in a b; do
    awk -v seed="$name" 'BEGIN {
      srand(seed == "a" ? 1 : 2)
      for (line = 0; line < 40000; ++line) {
        text = ""
        for (i = 0; i < 8; ++i) text = text sprintf("%c%c-", 97 + int(rand() * 26), 65 + int(rand() * 20)) "word"
        print text
      }
    }' >"$work/in/$name.txt"
  done
  words_of "$work"/in/*.txt | lines_for_words >"$work/expected"
}

# Becomes the job: over the input, in this folder, run by what stands in `through`.
through=()
job() {  # job [OPTION...]
  exec ${through[@]+"${through[@]}"} "$word_count" --input "$work/in" --output out --checkpoint-dir checkpoints --parallelism 2 \
    --checkpoint-interval 100ms --log-level info --progress -Dweir.progress-interval=20ms "$@"
}

# Slow enough for something to happen before it ends: two seconds.
readonly slowly=(--bytes-per-second 2000000)

start() {  # start [OPTION...]
  : >log
  job "$@" >log 2>&1 &
  pid=$!
}

# Waits until the log of the running job matches.
await() {  # await PATTERN
  local end=$((SECONDS + patience))
  until grep -qE "$1" log; do
    kill -0 "$pid" 2>/dev/null || wrong "it ended before it said '$1'"
    [ "$SECONDS" -lt "$end" ] || wrong "it did not say '$1' in $patience s"
    sleep 0.02
  done
}

await_share() { await "^progress:.* ($1)[0-9]\.[0-9] %"; }  # await_share TENS|TENS...: 3 is from 30 to 39.9 %

# Waits for the end of the running job, which is in `status` then.
await_end() {
  local killer
  status=0
  # Its sleep outlives it, and must hold nothing that somebody reads to the end.
  (sleep "$patience" && kill -KILL "$pid") >/dev/null 2>&1 &
  killer=$!
  wait "$pid" 2>/dev/null || status=$?
  kill "$killer" 2>/dev/null
  wait "$killer" 2>/dev/null
  pid=""
}

ended_with() {  # ended_with STATUS
  await_end
  [ "$status" = "$1" ] || wrong "it ended with status $status, want $1"
}

run() {  # run STATUS [OPTION...]
  start "${@:2}"
  ended_with "$1"
}

says() { grep -qE -- "$1" log || wrong "it does not say '$1'"; }  # says PATTERN

# The output is what was counted independently, line by line, each as often as it should be.
exactly_once() {
  visible_lines out | cmp -s "$work/expected" - ||
    wrong "lines too few and too many: $(visible_lines out | comm -3 "$work/expected" - | head -n 5 | tr '\n\t' ';>')"
}

# All files of the checkpoints, but for what every start changes.
checkpoint_files() { find checkpoints -type f ! -name run ! -name lock -exec cksum {} + | sort; }

# A job that was suspended in the middle, with a checkpoint of all kinds of files.
suspended_job() {
  start "${slowly[@]}" -Dexecution.checkpointing.data-inline-threshold=0
  await_share '[2-9]'
  kill -TERM "$pid"
  ended_with 4
  metadata=$(echo checkpoints/word_count/*/chk-*/_metadata)
  [ -f "$metadata" ] || wrong "it left no single checkpoint: $metadata"
  keyed=$(find checkpoints -name '*keyed*' | sort | head -n 1)
  lists=$(find checkpoints -name '*lists*' | sort | head -n 1)
  [ -f "$keyed" ] && [ -f "$lists" ] || wrong "no file of keyed state, or none of lists: $(find checkpoints)"
}

# From here on the job runs as somebody who may not do everything. Root becomes that user, who has to reach
# the program and this folder.
be_a_plain_user() {
  [ "$EUID" = 0 ] || return 0
  through=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  "${through[@]}" true 2>/dev/null || left_out "root may not become another user here"
  cp "$word_count" "$work/word_count"
  word_count=$work/word_count
  chmod 777 .
}

left_out() {  # left_out REASON
  echo "skipped  ${title//_/ }: $1"
  exit 77
}

# --- killed, suspended, refused -----------------------------------------------------------------------

case_killed_twice_counts_every_word_once() {
  start "${slowly[@]}"
  await_share '[2-4]'
  kill -KILL "$pid"
  ended_with 137
  start "${slowly[@]}"
  await_share '[5-7]'
  kill -KILL "$pid"
  ended_with 137
  run 0
  exactly_once
  [ "$(ls -A out | grep -v '^part-' | tr '\n' ' ')" = ".weir-sink .weir-sink-lock " ] || wrong "it left in its output: $(ls -A out)"
}

case_suspended_by_sigterm_it_resumes() {
  start "${slowly[@]}"
  await_share '[2-9]'
  kill -TERM "$pid"
  ended_with 4
  says "is suspended; the same command resumes it"
  run 0
  says 'Deploying .*phase=restore'
  exactly_once
}

case_a_second_process_of_a_job_is_refused_and_harms_nothing() {
  local second=0
  start "${slowly[@]}"
  await CheckpointComplete
  (through=(timeout -s KILL "$patience") && job) >second.log 2>&1 || second=$?
  [ "$second" = 3 ] || wrong "the second ended with status $second, want 3: $(tail -n 1 second.log)"
  grep -qE "it is held already.*stop the one that holds .*lock, or give this one another --checkpoint-dir" second.log || wrong "the second says: $(tail -n 1 second.log)"
  ended_with 0
  exactly_once
}

case_a_finished_run_says_so_and_restart_wants_its_output_out_of_the_way() {
  run 0
  run 0
  says "finished"
  exactly_once
  run 1 --restart
  says "--overwrite-output"
  exactly_once
  run 0 --restart --overwrite-output
  exactly_once
}

case_an_unknown_option_ends_with_two() {
  run 2 --parallelsim 2
  says "parallelsim"
  [ ! -e out ] || wrong "it made its output directory"
}

case_a_missing_option_is_named_and_an_empty_one_refused() {
  local status=0
  "$word_count" --output out >log 2>&1 || status=$?
  [ "$status" = 2 ] || wrong "without an input it ended with status $status, want 2"
  says "option '--input' is missing"
  run 2 --output ''
  says "option '--output': its value is empty"
  run 2 --checkpoint-dir ''
  says "option '--checkpoint-dir': its value is empty"
  [ -z "$(find . -mindepth 1 ! -name log ! -name shell.log)" ] || wrong "it made something: $(find .)"
}

# What one job writes no other may take while it runs.
case_output_that_a_running_job_writes_is_not_overwritten() {
  local other=0
  start "${slowly[@]}"
  await CheckpointComplete
  (through=(timeout -s KILL "$patience") && job --checkpoint-dir others --overwrite-output) >other.log 2>&1 || other=$?
  [ "$other" = 1 ] || wrong "the other ended with status $other, want 1: $(tail -n 1 other.log)"
  grep -q "out/.weir-sink-lock: it is held already.*another run writes to it" other.log || wrong "the other says: $(tail -n 1 other.log)"
  ended_with 0
  exactly_once
}

case_another_input_of_a_run_that_goes_on_is_ignored_and_that_is_said() {
  suspended_job
  mkdir other
  echo "not this" >other/c.txt
  run 0 --input other
  [ "$(grep -c "AnotherInputIgnored.*ignored=other.*--restart" log)" = 1 ] || wrong "it does not say once that it ignores other"
  exactly_once
}

case_a_foreign_file_in_the_output_directory_is_left_alone() {
  mkdir out
  echo mine >out/thesis.txt
  run 1 --restart-strategy none
  says "out.* holds thesis.txt"
  [ "$(cat out/thesis.txt)" = mine ] || wrong "it touched thesis.txt"
}

case_an_output_directory_that_cannot_be_is_named() {
  echo mine >out
  run 1 --restart-strategy none
  says "opening operator .*out: Not a directory"
  [ "$(cat out)" = mine ] || wrong "it touched the file"
}

# Both are for good: nothing is tried again.
case_an_output_directory_that_may_not_be_written_is_named() {
  be_a_plain_user
  mkdir out
  chmod 555 out
  run 1
  says "out\b.*Permission denied; this user may not: let it, or name another place"
  ! grep -q 'attempt=2' log || wrong "it tried again"
}

# Whose lock it is does not matter where the file may not even be opened: nobody leads the job.
case_a_checkpoint_directory_that_may_not_be_written_is_named() {
  be_a_plain_user
  mkdir readable
  chmod 755 readable
  run 1 --checkpoint-dir readable/checkpoints
  says "readable/checkpoints.*Permission denied.*--checkpoint-dir that this user may"
  mkdir -p checkpoints/word_count
  touch checkpoints/word_count/lock
  chmod 644 checkpoints/word_count/lock
  if [ "$EUID" != 0 ]; then chmod 444 checkpoints/word_count/lock; fi
  run 1
  says "lock: Permission denied.*--checkpoint-dir that this user may"
}

case_an_unreadable_input_is_named() {
  be_a_plain_user
  mkdir unreadable
  cp "$work/in/a.txt" unreadable
  chmod 000 unreadable/a.txt
  run 1 --input unreadable
  says "reading input .*unreadable/a.txt.*Permission denied"
  ! grep -q 'attempt=2' log || wrong "it tried again"
}

case_a_missing_input_is_named() {
  start --restart-strategy none --input "$work/nowhere"
  ended_with 1
  says "nowhere.*No such file"
}

# --- damaged checkpoints ------------------------------------------------------------------------------

# Starts a job whose checkpoint is damaged: it says where, touches nothing, and goes on once it is healed.
refuses_damaged() {  # refuses_damaged STATUS PATTERN
  checkpoint_files >before
  run "$1"
  says "$2"
  checkpoint_files | cmp -s before - || wrong "it changed its checkpoints: $(checkpoint_files | comm -3 before -)"
}

resumes() {
  run 0
  says 'Deploying .*phase=restore'
  exactly_once
}

# Changes one byte of a file: the one at an offset becomes an X, or a Y where it was one.
damage() {  # damage FILE OFFSET
  local byte=X
  cp "$1" healthy
  [ "$(dd if="$1" bs=1 skip="$2" count=1 status=none | tr -d '\0')" != X ] || byte=Y
  printf %s "$byte" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

case_a_damaged_file_of_a_checkpoint_is_named_and_nothing_is_deleted() {
  local file size
  suspended_job
  for file in "$metadata" "$keyed" "$lists" checkpoints/word_count/run; do
    size=$(stat -c %s "$file")
    damage "$file" $((size / 2))
    refuses_damaged 1 "$(basename "$file")\b.*checksum"
    cp healthy "$file"
  done
  resumes
}

# The newest checkpoint is whole, so nothing is missing.
case_a_damaged_older_checkpoint_is_no_hindrance() {
  local oldest
  start "${slowly[@]}" -Dexecution.checkpointing.num-retained=3
  await_share '[4-9]'
  kill -TERM "$pid"
  ended_with 4
  oldest=$(find checkpoints -name _metadata | sort -V | head -n 1)
  [ "$(find checkpoints -name _metadata | wc -l)" = 3 ] || wrong "it keeps $(find checkpoints -name _metadata)"
  damage "$oldest" $(($(stat -c %s "$oldest") / 2))
  run 0 -Dexecution.checkpointing.num-retained=3
  says "$(basename "$(dirname "$oldest")")\b.*checksum"
  says 'Deploying .*phase=restore'
  exactly_once
}

case_a_missing_file_of_a_checkpoint_is_named() {
  local file
  suspended_job
  for file in "$metadata" "$keyed" "$lists" checkpoints/word_count/run; do
    mv "$file" healthy
    refuses_damaged 1 "$(basename "$file")\b.*(missing|No such file)"
    mv healthy "$file"
  done
  resumes
}

case_a_file_of_a_checkpoint_that_may_not_be_read_is_named() {
  local file
  be_a_plain_user
  suspended_job
  for file in "$metadata" "$keyed" "$lists" checkpoints/word_count/run; do
    chmod 000 "$file"
    run 1
    says "$(basename "$file")\b.*Permission denied.*name another place"
    chmod 644 "$file"
  done
  resumes
}

# A version whose checksum is not that of the file is no version: it is damaged.
case_a_run_of_another_format_version_is_refused_and_a_damaged_version_is_damage() {
  local run keyed
  suspended_job
  run=checkpoints/word_count/run
  cp "$run" run.before
  sed -i '1s/ 1$/ 2/' "$run"
  refuses_damaged 1 "run.*version.*start the build that wrote it"
  cp run.before "$run"
  # The version follows eight bytes of magic.
  keyed=$(find checkpoints -name '*keyed*' | sort | head -n 1)
  damage "$metadata" 8
  refuses_damaged 1 "_metadata: total checksum differs; put it back"
  cp healthy "$metadata"
  damage "$keyed" 8
  refuses_damaged 1 "$(basename "$keyed").*checksum of header differs.*; put it back"
  cp healthy "$keyed"
  resumes
}

# --- short of something -------------------------------------------------------------------------------

# With every limit it does its work, or ends with a sentence that says which limit to raise; and what it left then
# is gone on from.
case_few_file_descriptors_are_enough_or_named() {
  local limit enough=0 named=0
  for limit in 40 20 16 14 12 10 8; do
    rm -rf out checkpoints
    : >log
    (
      ulimit -Sn "$limit"
      job --restart-strategy none
    ) >log 2>&1 &
    pid=$!
    await_end
    case $status in
      0) enough=$((enough + 1)) ;;
      1)
        says 'Too many open files.*ulimit -n'
        named=$((named + 1))
        run 0
        ;;
      *) wrong "with $limit descriptors it ended with status $status" ;;
    esac
    exactly_once
  done
  [ "$enough" -gt 0 ] || wrong "no number was enough"
  [ "$named" -gt 0 ] || wrong "every number was enough"
}

# The job on a small disk that fills up behind a checkpoint.
full_disk() {  # full_disk [OPTION...]
  checkpoints_on_small_disk
  start "${slowly[@]}" -Drestart-strategy.fixed-delay.delay=100ms "$@"
  await CheckpointComplete
  dd if=/dev/zero of="$work/small/filler" bs=64k status=none 2>/dev/null
}

# The disk is a tmpfs, which only root may mount; elsewhere these cases are left out.
checkpoints_on_small_disk() {
  mkdir -p "$work/small"
  mountpoint -q "$work/small" || mount -t tmpfs -o size=8m none "$work/small" 2>/dev/null ||
    left_out "no tmpfs can be mounted here (want root with that right)"
  rm -rf "$work/small"/*
  ln -s "$work/small" checkpoints
}

case_on_a_full_disk_checkpoints_fail_and_the_job_goes_on_where_that_is_tolerated() {
  full_disk -Dexecution.checkpointing.tolerable-failed-checkpoints=1000000
  await "CheckpointAborted.*No space left on device"
  rm "$work/small/filler"
  ended_with 0
  ! grep -q 'attempt=2' log || wrong "it failed over"
  exactly_once
}

case_on_a_full_disk_the_job_fails_over_and_resumes_when_there_is_room() {
  full_disk
  await 'Deploying attempt=2'
  says 'Exceeded checkpoint tolerable failure threshold.*No space left on device'
  rm "$work/small/filler"
  ended_with 0
  exactly_once
}

case_files_that_may_not_grow_fail_checkpoints_and_lose_nothing() {
  local status
  # In blocks of 1024 bytes: less than the state needs. The log goes through a pipe, which has no size.
  (
    ulimit -f 2
    through=(timeout -s KILL "$patience")
    job "${slowly[@]}" -Dexecution.checkpointing.tolerable-failed-checkpoints=3 --restart-strategy none
  ) 2>&1 | cat >log
  status=${PIPESTATUS[0]}
  [ "$status" = 1 ] || wrong "it ended with status $status, want 1"
  says "File too large"
  run 0
  exactly_once
}

main "$@"
