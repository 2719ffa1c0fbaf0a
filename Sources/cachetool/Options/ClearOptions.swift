// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The entries that `cachetool clear` removes.
struct ClearOptions: ParsableArguments {
    @Flag(help: "Remove everything in the group.")
    var all = false

    @Flag(help: "Only show what would be removed.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false
}
