#!/usr/bin/env bash
# Kills a job of 218 MB of state with SIGKILL again and again, at random points and in each phase of a checkpoint, while
# a reader checks that each of its lines becomes visible exactly once.
#
#   ./dev e2e kill [--times N] [--seed N] [--keys N]
set -euo pipefail

work=$(mktemp -d "${TMPDIR:-/tmp}/weir-kill.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
e2e=${WEIR_BUILD_DIR:?is set by ./dev e2e}/tests/e2e
"$e2e/kill_driver" "$e2e/kill_job" "$work" "$@"
