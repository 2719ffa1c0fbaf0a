// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// The output of a command.
public struct OutputOptions: ParsableArguments {
    @Flag(help: "Write one JSON document to standard output.")
    var json = false

    @Flag(help: "Do not truncate or wrap lines.")
    var wide = false

    /// Whether prompts are forbidden.
    @Flag(help: "Never prompt, and do not let the keyring prompt: fail if a prompt would be needed.")
    public var noPrompt = false

    @Flag(name: .shortAndLong, help: "Print only errors, without progress and remarks.")
    var quiet = false

    /// Called by the parser.
    public init() {}
}

/// Whether to show a secret.
public struct RevealOptions: ParsableArguments {
    /// Whether to show the secret.
    @Flag(help: "Show the secret. Requires a terminal or --yes, because printed text stays in scrollback and logs.")
    public var reveal = false

    /// Whether the user has confirmed in advance.
    @Flag(name: .shortAndLong, help: "Reveal without a terminal.")
    public var yes = false

    /// Called by the parser.
    public init() {}
}

/// Decides whether to show secrets.
public enum Reveal {
    /// Whether this run shows secrets.
    ///
    /// - Throws: ``CommandFailure`` if showing them was requested but is refused: to a pipe or file without
    ///   confirmation.
    public static func isWanted(_ options: RevealOptions, _ session: Session) throws(CommandFailure) -> Bool {
        guard options.reveal else { return false }
        if options.yes { return true }
        guard session.console.output.isTerminal, Syscalls.isTerminal(0) else {
            throw CommandFailure(
                .usage,
                "--reveal shows secrets only on a terminal. To write them to a pipe or a file, use --reveal --yes."
            )
        }
        session.console.warn("the secret stays in the scrollback, and in logs if the terminal is recorded.")
        return true
    }
}

/// Confirms a question in advance.
public struct ConfirmationOptions: ParsableArguments {
    /// Whether the user has confirmed in advance.
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    public var yes = false

    /// Called by the parser.
    public init() {}
}
