// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The extent of `cachetool doctor`.
struct DoctorOptions: ParsableArguments {
    @Flag(help: "Also write something where the group keeps its records, read it back and remove it.")
    var probeWrite = false

    @Flag(help: "Open every record, however large the group is.")
    var full = false

    @Flag(help: "Fail if an account cannot get tokens without a sign-in.")
    var accounts = false
}
