# Configuring and building a preset of CMakePresets.json.

readonly presets="dev release release-test asan tsan lint fuzz"

dev_build() {
  local preset=${1:-dev}
  build "$preset"
  say "built: build/$preset"
}

# build PRESET [TARGET...] installs what is missing, configures if need be, and builds.
build() {
  local preset=$1
  shift
  configure "$preset" || return
  cmake --build "build/$preset" ${1+--target "$@"}
}

configure() {  # configure PRESET
  local preset=$1 folder=build/$1 arguments stamp
  grep -qw -- "$preset" <<<"$presets" || stop 2 "there is no preset $preset; there are: $presets"
  # shellcheck disable=SC2046
  need $(packages_of_preset "$preset")
  use_ccache
  arguments="$(arch_argument "$preset") $launcher_argument"
  stamp="$PWD $arguments $(cksum <CMakePresets.json)"
  [ "$stamp" = "$(cat "$folder/configured" 2>/dev/null)" ] && [ -f "$folder/build.ninja" ] && return 0
  # shellcheck disable=SC2046,SC2086
  cmake $(fresh_argument "$folder") --preset "$preset" $arguments || return
  printf '%s\n' "$stamp" >"$folder/configured"
}

# A build folder that came here with a copied tree is begun anew.
fresh_argument() {
  if [ -f "$1/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$1/CMakeCache.txt"; then
    echo --fresh
  fi
}

# The release presets pin x86-64-v3, so that figures can be compared. A machine that cannot run that gets what it
# can.
arch_argument() {  # arch_argument PRESET
  case $1 in release*) ;; *) return 0 ;; esac
  if [ "$(uname -m)" != x86_64 ]; then
    echo -DWEIR_ARCH=
  elif ! grep -qm1 -w avx2 "${WEIR_CPUINFO:-/proc/cpuinfo}"; then
    echo -DWEIR_ARCH=x86-64
  fi
}

# Uses ccache where it is installed, in a way that works through precompiled headers and across clones: paths
# below the clone are made relative, and the folder is not part of the hash. The headers that CMake has just written
# would count as too new without the last two words.
use_ccache() {
  launcher_argument="-DCMAKE_CXX_COMPILER_LAUNCHER="
  command -v ccache >/dev/null || return 0
  launcher_argument+=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
}
