// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of `cachetool groups remove`.
struct RemovalOptions: ParsableArguments {
    @Flag(help: "Only show what would be removed and what would stay.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false
}
