// SPDX-License-Identifier: Apache-2.0

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
