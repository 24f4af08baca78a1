#!/usr/bin/env bash
# The demo: counts the words of real text, is killed three times with SIGKILL, and the count is right.
#
#   ./dev demo [--size MB] [--kills N] [--seed N] [--keep]
#
# The text is what the system has: licences, documentation, Perl modules, headers, repeated up to the size. The count it
# is compared with is made by tr and awk. Everything lies below ${TMPDIR:-/tmp} and is gone at the end, but for --keep.
set -euo pipefail
export LC_ALL=C
# shellcheck source=../tests/e2e/words.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tests/e2e/words.sh"

size_mb=512
kills=3
seed=$((RANDOM << 15 | RANDOM))
keep=""

# A life that prints no line for so long hangs.
readonly silence_max=60
# Below this the input would be read so fast that a kill could hardly hit it: then a rate limit makes it this long.
readonly run_seconds_min=30
# The share of the input, in percent, within which a kill counts.
readonly kill_from=10 kill_to=90

main() {
  options "$@"
  readonly word_count=${WEIR_BUILD_DIR:?is set by ./dev demo}/examples/word_count
  work=$(mktemp -d "${TMPDIR:-/tmp}/weir-demo.XXXXXX")
  pid=""
  trap clean_up EXIT
  trap 'exit 130' INT TERM
  mkfifo "$work/log"
  say "seed $seed (--seed repeats the points of the kills)"
  make_input
  count_independently
  measure_without_limit
  run_with_kills
  judge
}

options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --keep) keep=yes ;;
      --size | --kills | --seed)
        [[ ${2:-} =~ ^[0-9]+$ ]] || fail 2 "$1 wants a number"
        case $1 in
          --size) size_mb=$2 ;;
          --kills) kills=$2 ;;
          --seed) seed=$2 ;;
        esac
        shift
        ;;
      *) fail 2 "there is no option $1; there are --size MB, --kills N, --seed N, --keep" ;;
    esac
    shift
  done
  if [ "$size_mb" -lt 10 ] || [ "$size_mb" -gt 2000 ]; then fail 2 "--size wants 10 to 2000 MB"; fi
  size_bytes=$((size_mb * 1000000))
}

clean_up() {
  if [ -n "$pid" ]; then kill -KILL "$pid" 2>/dev/null || true; fi
  wait  # What is dying may still be writing.
  if [ -n "$keep" ]; then
    say "kept: $work"
  else
    rm -rf "$work"
  fi
}

say() { printf 'demo: %s\n' "$*"; }

fail() {  # fail STATUS SENTENCE
  printf 'demo: %s\n' "$2" >&2
  exit "$1"
}

# 41201337 -> 41,201,337
commas() { sed -e :a -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta' <<<"$1"; }

# --- the input ----------------------------------------------------------------------------------------

# The places that are there on every Debian system with a compiler, the most readable first.
text_files() {
  local places=(/usr/share/common-licenses /usr/share/doc /usr/share/perl /usr/share/perl5 /usr/lib/*/perl* /usr/include)
  local place
  for place in "${places[@]}"; do
    [ ! -d "$place" ] || find "$place" -type f -size -500k \( -path '*/common-licenses/*' -o -name 'copyright' \
      -o -name '*.pm' -o -name '*.pl' -o -name '*.pod' -o -name '*.h' -o -name '*.hpp' -o -name '*.ipp' \
      -o -path '*/include/c++/*' \) -print0 | sort -z
  done
}

# One text, and as many copies of it as the size asks for.
make_input() {
  local bytes_max=128000000 bytes
  input=$work/in
  mkdir "$input"
  [ "$size_bytes" -gt "$bytes_max" ] || bytes_max=$size_bytes
  # head has enough at some point, and the pipe breaks; what counts is what came out of it.
  { text_files | xargs -0 cat || true; } 2>/dev/null | head -c $((bytes_max - 1)) >"$input/00.txt"
  echo >>"$input/00.txt"
  bytes=$(stat -c %s "$input/00.txt")
  [ "$bytes" -gt 1000000 ] || fail 1 "found hardly any text below /usr/share and /usr/include ($bytes bytes)"
  copies=$((size_bytes / bytes))
  for ((i = 1; i < copies; ++i)); do cp "$input/00.txt" "$input/$(printf %02d "$i").txt"; done
  input_bytes=$((bytes * copies))
  say "the text: $((bytes / 1000000)) MB of licences, copyright notices, Perl modules and headers of this system," \
    "$copies times: $((input_bytes / 1000000)) MB"
}

count_independently() {
  words_of "$input/00.txt" | awk -v copies="$copies" '{ printf "%s %.0f\n", $1, $2 * copies }' >"$work/counts"
  lines_for_words <"$work/counts" >"$work/expected"
  read -r words distinct < <(awk '{ sum += $2 } END { printf "%.0f %d\n", sum, NR }' "$work/counts")
  say "tr and awk count $(commas "$words") words, $(commas "$distinct") different ones"
}

# --- the runs -----------------------------------------------------------------------------------------

# Becomes the process, so that whoever runs it in the background has its id.
count_words() {  # count_words NAME [OPTION...]
  exec "$word_count" --input "$input" --output "$work/$1/out" --checkpoint-dir "$work/$1/checkpoints" --parallelism 2 \
    --checkpoint-interval 200ms "${@:2}"
}

measure_without_limit() {
  local begin=$EPOCHREALTIME micros
  (count_words unlimited) || fail 1 "the run without a limit ended with status $?"
  micros=$((${EPOCHREALTIME/./} - ${begin/./}))
  rm -rf "$work/unlimited"
  say "without a limit: $(awk -v bytes="$input_bytes" -v words="$words" -v micros="$micros" 'BEGIN {
    printf "%.1f s, %.0f MB/s, %.1f million words/s", micros / 1e6, bytes / micros, words / micros }')"
  limit=0
  if [ "$micros" -lt $((run_seconds_min * 1000000)) ]; then
    limit=$((input_bytes / run_seconds_min))
    say "so that kills hit it, it reads $((limit / 1000000)) MB/s from here on: $run_seconds_min s"
  fi
}

run_with_kills() {
  local point points number=0 log
  taken_in_all=0
  RANDOM=$seed
  points=$(for ((i = 0; i < kills; ++i)); do echo $((110 + (RANDOM << 15 | RANDOM) % 750)); done | sort -n)
  # Held open here, so that the log has a reader before each life and an end after it.
  exec {log}<>"$work/log"
  for point in $points; do
    number=$((number + 1))
    live "$number" "$point" "$log"
  done
  live $((number + 1)) "" "$log"
  exec {log}>&-
}

# One life of the process, to its end or to the SIGKILL at a point of the input, in tenths of a percent.
live() {  # live NUMBER POINT|"" LOG
  local number=$1 point=$2 log=$3 line status=0 killed=""
  share="" taken=0 shown_second=""
  (
    # The last line of the log, which a killed process cannot write.
    status=0
    count_words life --bytes-per-second "$limit" --progress -Dweir.progress-interval=10ms &
    echo "pid $!"
    wait $! || status=$?
    echo "ended $status"
  ) >"$work/log" 2>&1 &
  while IFS= read -r -t "$silence_max" -u "$log" line; do
    case $line in
      progress:*) progressed "$number" "$line" ;;
      "pid "*) pid=${line#pid } ;;
      "ended "*)
        status=${line#ended }
        break
        ;;
      *Killed*) ;;
      *) printf '  %s\n' "$line" ;;
    esac
    if [ -n "$point" ] && [ -z "$killed" ] && [ -n "$share" ] && [ "$share" -ge "$point" ]; then
      sleep "0.$(printf %03d $((RANDOM % 200)))"
      kill -KILL "$pid" 2>/dev/null || fail 1 "the kill missed: the process had ended"
      killed=yes
    fi
  done
  wait
  pid=""
  [[ ${line:-} == ended* ]] || fail 1 "the process printed nothing for $silence_max s"
  taken_in_all=$((taken_in_all + taken))
  if [ -n "$point" ]; then
    [ "$status" = 137 ] || fail 1 "the kill missed: the process ended with status $status"
    if [ "$share" -lt $((kill_from * 10)) ] || [ "$share" -gt $((kill_to * 10)) ]; then
      fail 1 "the kill missed: it hit at $(percent "$share"), outside of $kill_from to $kill_to %"
    fi
    say "killed with SIGKILL at $(percent "$share"); started again with the same command"
  else
    [ "$status" = 0 ] || fail 1 "the run ended with status $status"
  fi
}

percent() { printf '%d.%d %%' $(($1 / 10)) $(($1 % 10)); }

# Notes what a line of progress says, and shows one per second.
progressed() {  # progressed NUMBER LINE
  local second
  [[ $2 =~ ^progress:\ +([0-9]+)\.[0-9]\ s\ +(([0-9]+)\.([0-9])|-)\ % ]] || fail 1 "what does this mean: $2"
  second=${BASH_REMATCH[1]}
  [ -z "${BASH_REMATCH[3]}" ] || share=$((10#${BASH_REMATCH[3]}${BASH_REMATCH[4]}))
  if [[ $2 =~ \ count\ ([0-9]+) ]]; then taken=${BASH_REMATCH[1]}; fi
  if [ "$second" != "$shown_second" ]; then
    shown_second=$second
    printf '  life %d %s\n' "$1" "${2#progress:}"
  fi
}

# --- the verdict --------------------------------------------------------------------------------------

judge() {
  local lost doubled missing surplus replayed verdict="exactly once"
  visible_lines "$work/life/out" >"$work/visible"
  missing=$(comm -23 "$work/expected" "$work/visible" | wc -l)
  surplus=$(comm -13 "$work/expected" "$work/visible" | wc -l)
  read -r lost doubled < <(awk '
    NR == FNR { want[$1] = $2; next }
    $2 > got[$1] { got[$1] = $2 }
    END {
      for (word in want) if (want[word] > got[word]) lost += want[word] - got[word]
      for (word in got) if (got[word] > want[word]) doubled += got[word] - want[word]
      printf "%.0f %.0f\n", lost, doubled
    }' "$work/counts" "$work/visible")
  if [ "$missing" != 0 ] || [ "$surplus" != 0 ]; then
    verdict="NOT exactly once"
    say "lines of the output: $missing missing, $surplus too many; the first ones:"
    comm -3 "$work/expected" "$work/visible" | head -n 10
  fi
  # A checkpoint of a killed life may hold more than its last line of progress told.
  replayed=$((taken_in_all > words ? taken_in_all - words : 0))
  # Each word that was lost or doubled shows in the lines, so these alone decide.
  printf '%s: %s words, %d kills, %s lost, %s doubled, %s replayed\n' "$verdict" "$(commas "$words")" "$kills" \
    "$(commas "$lost")" "$(commas "$doubled")" "$(commas "$replayed")"
  [ "$verdict" = "exactly once" ]
}

main "$@"
