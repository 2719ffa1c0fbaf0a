# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by common.sh: builds take the versions of other packages that scripts/dependency-versions lists.

# What Package.resolved in a folder says: a name and its version on each line.
resolved_versions() {
    [[ ! -e $1/Package.resolved ]] ||
        awk -F'"' '$2 == "identity" { name = $4 } $2 == "version" && NF > 4 { print name, $4 }' "$1/Package.resolved"
}

# The version of a package that is listed; nothing where it is not.
listed_version() { awk -v name="$1" '$1 == name { print $2 }' "${project:?}/scripts/dependency-versions"; }

# resolve_dependencies [FOLDER]: has the package there use the listed versions. Asks nobody where it does already.
resolve_dependencies() {
    local folder=${1-$project} name version listed
    [[ -e $folder/Package.resolved ]] || swift package --package-path "$folder" --quiet resolve || return
    while read -r name version; do
        listed=$(listed_version "$name")
        [[ -z $listed || $version == "$listed" ]] ||
            swift package --package-path "$folder" --quiet resolve "$name" --version "$listed" </dev/null || return
    done < <(resolved_versions "$folder")
    # One may have brought others in.
    while read -r name version; do
        listed=$(listed_version "$name")
        [[ $version == "$listed" ]] || give_up "$name $version was resolved, and scripts/dependency-versions lists ${listed:-none}." \
            "List the version that is to be used."
    done < <(resolved_versions "$folder")
}
