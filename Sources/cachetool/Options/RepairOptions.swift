// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The extent of `cachetool repair`.
struct RepairOptions: ParsableArguments {
    @Flag(help: "Only show what would be done.")
    var dryRun = false

    @Flag(help: "Accept the file as it is, although the keyring has recorded a newer state.")
    var acceptRollback = false

    @Flag(help: "Adopt a group whose folder is gone or was replaced.")
    var adopt = false

    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false
}
