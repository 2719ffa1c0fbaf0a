import ArgumentParser

/// How a command talks.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Flag(help: "Never ask, nor have the keyring ask: fail where a question would be needed.")
    var noPrompt = false

    @Flag(name: .shortAndLong, help: "No progress and no remarks, only errors.")
    var quiet = false
}
