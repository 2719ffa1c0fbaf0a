# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by install and package-deb: what is installed, and where below a prefix.

# The files below a prefix, in one list for installing, removing and packaging.
# shellcheck disable=SC2154 # project is set by common.sh
readonly installed_files=(
    bin/cachetool
    bin/cachetool-sign-in
    share/man/man1/cachetool.1
    share/cachetool/cachetool.schema.json
    share/bash-completion/completions/cachetool
    share/zsh/site-functions/_cachetool
    share/fish/vendor_completions.d/cachetool.fish
)

# install_files FOLDER PREFIX: the programs are in that folder. Where it has no cachetool-sign-in, none is left of an earlier version.
install_files() {
    local program=$1/cachetool prefix=$2 file
    for file in "${installed_files[@]}"; do
        case $file in
            bin/cachetool-sign-in)
                if [[ -e $1/cachetool-sign-in ]]; then
                    install -D --mode 755 --strip "$1/cachetool-sign-in" "$prefix/$file"
                else
                    rm --force "$prefix/$file"
                fi
                ;;
            bin/*) install -D --mode 755 --strip "$program" "$prefix/$file" ;;
            *.schema.json) install -D --mode 644 "$project/Documentation/${file##*/}" "$prefix/$file" ;;
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

# build_programs FOLDER [--without-sign-in]: builds them in release mode, and makes links to them in that folder.
build_programs() {
    local folder=$1 build
    say "Building cachetool in release mode"
    build=("${release_build[@]}" --product cachetool)
    "${build[@]}" >&2
    ln --symbolic "$("${build[@]}" --show-bin-path)/cachetool" "$folder/"
    [[ ${2-} != --without-sign-in ]] || return 0
    say "Building cachetool-sign-in with the trait SignIn"
    "${sign_in_build[@]}" >&2
    ln --symbolic "$("${sign_in_build[@]}" --show-bin-path)/cachetool-sign-in" "$folder/"
}

# remove_files PREFIX: and the folders of completions that are empty then.
remove_files() {
    local prefix=$1 file
    for file in "${installed_files[@]}"; do
        rm --force "${prefix:?}/$file"
        [[ ! -d $prefix/${file%/*} ]] || rmdir --ignore-fail-on-non-empty "$prefix/${file%/*}"
    done
}
