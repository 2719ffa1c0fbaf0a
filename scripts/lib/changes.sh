# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the gate: what changed since a part of scripts/release-tests last passed.

# release_run_commit PART: the commit at which the part last passed; nothing where it did not.
# shellcheck disable=SC2016 # backquotes of Markdown
release_run_commit() { sed -nE 's/^\| '"$1"' \| passed \| `([0-9a-f]{40})` .*/\1/p' "${project:?}/Documentation/ReleaseRun.md"; }

# changed_since_release_run PART PATH...: whether one of the paths differs from what the part was run with. Yes where that is not known.
changed_since_release_run() {
    local commit
    commit=$(release_run_commit "$1")
    shift
    [[ -n $commit ]] && git -C "$project" cat-file -e "$commit^{commit}" 2>/dev/null || return 0
    ! git -C "$project" diff --quiet "$commit" -- "$@"
}
