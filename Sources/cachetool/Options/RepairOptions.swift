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

/// The extent of `cachetool doctor`.
struct DoctorOptions: ParsableArguments {
    @Flag(help: "Also write something where the group keeps its records, read it back and remove it.")
    var probeWrite = false

    @Flag(help: "Open every record, however large the group is.")
    var full = false

    @Flag(help: "Fail if an account cannot get tokens without a sign-in.")
    var accounts = false
}
