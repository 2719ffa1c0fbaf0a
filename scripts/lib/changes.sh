# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the gate: what changed since scripts/release-tests last passed.

# The commit that the last release run was of; nothing where none passed.
# shellcheck disable=SC2016 # backquotes of Markdown
release_run_commit() { sed -nE 's/^- commit: `([0-9a-f]{40})`$/\1/p' "${project:?}/Documentation/ReleaseRun.md"; }

# changed_since_release_run PATH...: whether one of the paths differs from what the last release run had. Yes where that is not known.
changed_since_release_run() {
    local commit
    commit=$(release_run_commit)
    [[ -n $commit ]] && git -C "$project" cat-file -e "$commit^{commit}" 2>/dev/null || return 0
    ! git -C "$project" diff --quiet "$commit" -- "$@"
}
