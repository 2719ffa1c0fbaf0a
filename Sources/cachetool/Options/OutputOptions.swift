// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The output of a command.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Flag(help: "Never prompt, and do not let the keyring prompt: fail if a prompt would be needed.")
    var noPrompt = false

    @Flag(name: .shortAndLong, help: "No progress and no remarks, only errors.")
    var quiet = false
}

/// Whether a secret may be shown.
struct RevealOptions: ParsableArguments {
    @Flag(help: "Show the secret. Requires a terminal or --yes, because printed text stays in scrollback and logs.")
    var reveal = false

    @Flag(name: .shortAndLong, help: "Reveal without a terminal.")
    var yes = false
}

/// Confirms a question in advance.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do it without asking.")
    var yes = false
}
