# Which Debian 12 packages a command needs, and how they come to be there.

packages_build="g++-12 cmake ninja-build libboost1.81-dev libxxhash-dev"
packages_test="libgtest-dev libgmock-dev python3"
packages_clang="clang-14"
packages_format="clang-format-14"
packages_check="clang-tidy-14 $packages_format"
packages_fuzz="libclang-rt-14-dev"

packages_of_preset() {
  case $1 in
    dev | asan | tsan | release-test) echo "$packages_build $packages_test" ;;
    release) echo "$packages_build" ;;
    lint) echo "$packages_build $packages_test $packages_clang $packages_fuzz" ;;
    fuzz) echo "$packages_build $packages_clang $packages_fuzz" ;;
  esac
}

# Those of the packages that are not installed.
missing_of() {
  local installed package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null) || true
  for package in "$@"; do
    grep -qxF "installed $package" <<<"$installed" || printf '%s ' "$package"
  done
}

# need PACKAGE... installs what is missing. WEIR_EXTRA_PACKAGES names more of them, to try this very function.
need() {
  local missing
  # shellcheck disable=SC2086
  set -- "$@" ${WEIR_EXTRA_PACKAGES:-}
  if ! command -v dpkg-query >/dev/null; then
    say "this is not a Debian system; what Debian 12 calls $* is taken to be there"
    return
  fi
  missing=$(missing_of "$@")
  [ -n "$missing" ] || return 0
  install_packages "${missing% }"
}

install_packages() {  # install_packages "PACKAGE PACKAGE..."
  local packages=$1 root=()
  if [ "$(id -u)" != 0 ]; then
    if ! may_sudo; then
      say "missing: $packages. This user may not install them; somebody who may types:"
      printf 'apt-get update && apt-get install -y --no-install-recommends %s\n' "$packages"
      exit 3
    fi
    root=(sudo)
  fi
  say "installing with apt: $packages"
  # shellcheck disable=SC2086
  if apt_install $packages || { apt update -qq && apt_install $packages; }; then return 0; fi
  tail -n 15 build/apt.log >&2
  stop 3 "missing and not to be had (is there a network?): $packages"
}

# Without a password, or with somebody at the terminal who can type it.
may_sudo() { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; }

# Works on the lists that are there; where they are missing or old, the caller updates them and tries again.
apt_install() { apt install -y -qq --no-install-recommends --no-remove "$@"; }

apt() {
  mkdir -p build
  ${root[@]+"${root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get \
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o APT::Update::Error-Mode=any \
    "$@" >>build/apt.log 2>&1 </dev/null
}
