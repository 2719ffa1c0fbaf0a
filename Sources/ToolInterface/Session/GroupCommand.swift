// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// A command on a group, or on the folder that contains groups.
public protocol GroupCommand: ParsableCommand {
    var group: GroupOptions { get }
    var output: OutputOptions { get }

    /// The names of all commands as typed after the program's name, longer ones first.
    static var commandNames: [String] { get }

    /// Runs the command.
    func perform(in session: Session) throws
}

extension GroupCommand {
    /// Runs the command in a session of its own.
    public func run() throws {
        let session = Session(group, output, commandNames: Self.commandNames)
        defer { session.console.flush() }
        do {
            try perform(in: session)
            try session.finish()
        } catch {
            throw session.completed(error)
        }
    }
}
