# ./dev check: what a machine can see without running the engine. ./dev fix: what it can mend.

dev_check() {  # dev_check [--all]
  local tidied="changed files"
  case "$# ${1:-}" in
    "0 ") ;;
    "1 --all") tidied="all files" ;;
    *) stop 2 "usage: ./dev check [--all]" ;;
  esac
  # shellcheck disable=SC2046
  need $(packages_of_preset lint) $packages_check
  counted "format" check_format
  counted "arrows" tools/arrows
  counted "headers stand alone" build dev headers_alone
  counted "tidy on $tidied" check_tidy "$@"
  counted "ratchets" tools/ratchet
  close_count
}

dev_fix() {
  # shellcheck disable=SC2086
  need $packages_check
  formatted_files | xargs -r clang-format-14 -i
}

check_format() { formatted_files | xargs -r clang-format-14 --dry-run --Werror; }

formatted_files() {
  local folder
  for folder in src tests examples bench; do
    [ ! -d "$folder" ] || find "$folder" -name '*.h' -o -name '*.cc' -o -name '*.cpp'
  done | sort
}

# clang-tidy reads the commands of the lint preset, whose precompiled headers must be there.
check_tidy() {  # check_tidy [--all]
  local files=() file
  if [ "${1:-}" = --all ]; then
    mapfile -t files < <(all_sources)
    tidy_files "${files[@]}"
    return
  fi
  if ! command -v git >/dev/null || ! git rev-parse --verify -q HEAD >/dev/null; then
    say "without git nobody knows what changed: skipped"
    return
  fi
  for file in $(changed_files); do
    if [ -f "$file" ]; then files+=("$file"); fi
  done
  if [ ${#files[@]} = 0 ]; then
    say "no source changed since $(changes_since)"
    return
  fi
  tidy_files "${files[@]}"
}

# Tests are spared what does not speak of them: the analyzer, which walks through all paths of a function (a test has
# one, which is run) and takes as long as everything else together; what a copy costs; what may throw, which they do on
# purpose.
readonly spared_in_tests="-clang-analyzer-*,-performance-*,-bugprone-exception-escape"

tidy_files() {  # tidy_files FILE...
  local status=0
  build lint weir_pch weir_test_pch || return
  printf '%s\n' "$@" | sed '/_test\.cc$/d' | tidy || status=1
  printf '%s\n' "$@" | sed '/_test\.cc$/!d' | tidy --checks="$spared_in_tests" || status=1
  return "$status"
}

tidy() {  # tidy [OPTION...] of the files on standard input
  xargs -r -n 1 -P "$(parallel)" clang-tidy-14 -p build/lint --quiet --warnings-as-errors='*' "$@" \
    2> >(grep -v 'warnings generated' >&2)
}

# The point that a change starts from: where it left main, else the commit before.
changes_since() {
  git merge-base HEAD "${WEIR_CHECK_SINCE:-origin/main}" 2>/dev/null ||
    git rev-parse -q --verify HEAD~1 ||
    git rev-parse HEAD
}

# Sources of the lint build that are new or differ.
changed_files() {
  { git diff --name-only "$(changes_since)" -- '*.cc' && git ls-files --others --exclude-standard -- '*.cc'; } |
    in_lint_build
}

all_sources() { find src tests examples bench -name '*.cc' | in_lint_build; }

in_lint_build() { grep -E '^(src|tests|examples|bench)/' | grep -v '^tests/consumer/' | sort -u; }
