import ArgumentParser

/// What `cachetool export` gives.
struct ExportOptionGroup: ParsableArguments {
    @Option(name: .customLong("to"), help: ArgumentHelp("The format.", valueName: "format"))
    var format = ExportedFormat.msal

    @Flag(help: "Signed-out accounts too.")
    var all = false

    @Flag(name: .shortAndLong, help: "Replace an existing file, or write to a terminal.")
    var yes = false
}

/// In whose format a file is written, as typed.
enum ExportedFormat: String, ExpressibleByArgument, CaseIterable {
    case msal
}
