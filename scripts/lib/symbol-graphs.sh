# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts that look at the public API: its symbol graphs, as a client sees the modules of a finished debug build.

# built_modules FOLDER: builds the package in a folder, and sets `client_flags` to what swiftc needs to see its modules as a client.
built_modules() {
    local package=$1 map folder build
    build=$(swift build --package-path "$package" --show-bin-path)
    # Modules that are there may be older than the sources.
    swift build --package-path "$package" "${test_build[@]}" --quiet --build-tests
    # Built modules, and the C modules below them.
    client_flags=(-I "$build/Modules" -I Sources/CSodium -swift-version 6)
    for map in "$build"/*.build/module.modulemap; do
        [[ ! -e $map ]] || client_flags+=(-Xcc "-fmodule-map-file=$map")
    done
    for folder in "$package"/.build/checkouts/*/Sources/*/include; do
        [[ ! -e $folder/module.modulemap ]] || client_flags+=(-I "$folder")
    done
}

# extract_symbols MODULE FOLDER: writes the symbol graphs of a module to a new folder.
extract_symbols() {
    mkdir "$2"
    swift symbolgraph-extract -module-name "$1" -minimum-access-level public -skip-synthesized-members \
        -target "$(swift -print-target-info | sed -nE 's/^ *"triple": "([^"]+)".*/\1/p' | head -n 1)" \
        "${client_flags[@]}" -output-dir "$2"
}
