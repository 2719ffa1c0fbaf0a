# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts beside it: where the project is, what they say, and which Debian packages are there.

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034 # for the scripts that source this
readonly project

# shellcheck source=scripts/lib/builds.sh
source "$project/scripts/lib/builds.sh"

# shellcheck source=scripts/lib/dependencies.sh
source "$project/scripts/lib/dependencies.sh"

# Prints one line about what is being done. Data goes to stdout, this goes to stderr.
say() { printf '%s\n' "==> $*" >&2; }

# Prints why the script cannot go on, and ends it.
give_up() {
    printf '%s\n' "error: $1" >&2
    shift
    if (($#)); then printf '       %s\n' "$@" >&2; fi
    exit 1
}

# Runs a command as root: directly where we are root, else through sudo.
as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        give_up "installing packages needs root, and there is no sudo here." "Run as root: $*"
    fi
}

is_installed() {
    [[ $(dpkg-query --show --showformat='${Status}' "$1" 2>/dev/null) == "install ok installed" ]]
}

# install_missing PACKAGE...: installs those that are not there, and says nothing when all are.
install_missing() {
    local package missing=()
    if ! command -v dpkg-query >/dev/null; then
        give_up "this script installs packages on Debian and Ubuntu only." \
            "Elsewhere, install by hand what corresponds to $*, then build with: swift build -c release"
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0

    # Scripts that run side by side install one after the other: apt-get fails beside another one.
    exec 9<"$project/scripts/lib/common.sh"
    flock 9
    say "Installing missing packages: ${missing[*]}"
    local log
    log=$(mktemp)
    if ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --yes --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 9<&-; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        give_up "apt-get could not install ${missing[*]} (its last lines are above)."
    fi
    exec 9<&-
    rm -f "$log"
}

# Ends the script with a hint where there is no Swift of the right version.
require_swift() {
    command -v swift >/dev/null ||
        give_up "no Swift toolchain on PATH." "Get Swift 6.3 or newer from https://www.swift.org/install/linux/"
    local version
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
    if [[ -z $version ]] || [[ $(printf '%s\n6.3\n' "$version" | sort -V | head -n 1) != 6.3 ]]; then
        give_up "this needs Swift 6.3 or newer; 'swift --version' says ${version:-nothing}."
    fi
}

# limited DURATION COMMAND...: runs a program, and ends it with all that it started where it takes longer: a deadlock fails instead
# of hanging.
limited() {
    local limit=$1 status=0 job
    shift
    timeout --kill-after=30s "$limit" "$@" <&0 &
    job=$!
    # It is in a group of its own, which hears nothing of Ctrl-C.
    trap 'kill "$job" 2>/dev/null' INT TERM
    wait "$job" || status=$?
    trap - INT TERM
    if ((status == 124 || status == 137)); then say "ended: $1 took longer than $limit"; fi
    return "$status"
}

# The seconds that a command took, on stderr, after its own output. Fails as the command does, in `timed … || …` too, where a
# command that fails does not end the script.
timed() {
    local name=$1 start=$SECONDS status
    shift
    say "$name"
    "$@"
    status=$?
    say "$name: $((SECONDS - start)) s"
    return "$status"
}

# beside FUNCTION COMMAND...: runs the command, and meanwhile the function, whose output follows. Fails if one of them does.
beside() {
    local job log status=0
    log=$(mktemp)
    "$1" >"$log" 2>&1 &
    job=$!
    "${@:2}" || status=1
    wait "$job" || status=1
    cat "$log" >&2
    rm -f "$log"
    return "$status"
}
