// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The output of `cachetool export`.
struct ExportOptionGroup: ParsableArguments {
    @Option(name: .customLong("to"), help: ArgumentHelp("The format.", valueName: "format"))
    var format = ExportedFormat.msal

    @Flag(help: "Include signed-out accounts.")
    var all = false

    @Flag(name: .shortAndLong, help: "Replace an existing file, or write to a terminal.")
    var yes = false
}

/// The format of a file, as typed.
enum ExportedFormat: String, ExpressibleByArgument, CaseIterable {
    case msal
}
