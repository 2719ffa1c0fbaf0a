# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by install and package-deb: what is installed, and where below a prefix.

# The files below a prefix, in one list for installing, removing and packaging.
# shellcheck disable=SC2154 # project is set by common.sh
readonly installed_files=(
    bin/cachetool
    share/man/man1/cachetool.1
    share/bash-completion/completions/cachetool
    share/zsh/site-functions/_cachetool
    share/fish/vendor_completions.d/cachetool.fish
)

# install_files PROGRAM PREFIX
install_files() {
    local program=$1 prefix=$2 file
    for file in "${installed_files[@]}"; do
        case $file in
            bin/*) install -D --mode 755 --strip "$program" "$prefix/$file" ;;
            share/man/*) install -D --mode 644 "$project/Documentation/man/${file##*/}" "$prefix/$file" ;;
            *bash*) install_completions bash ;;
            *zsh*) install_completions zsh ;;
            *fish*) install_completions fish ;;
        esac
    done
}

install_completions() {
    "$program" --generate-completion-script "$1" | install -D --mode 644 /dev/stdin "$prefix/$file"
}

# remove_files PREFIX: and the folders of completions that are empty then.
remove_files() {
    local prefix=$1 file
    for file in "${installed_files[@]}"; do
        rm --force "${prefix:?}/$file"
        [[ ! -d $prefix/${file%/*} ]] || rmdir --ignore-fail-on-non-empty "$prefix/${file%/*}"
    done
}
