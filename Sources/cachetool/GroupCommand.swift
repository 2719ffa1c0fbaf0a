// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ToolInterface

/// A command on a group, or on the folder that contains groups.
protocol GroupCommand: ParsableCommand {
    var group: GroupOptions { get }
    var output: OutputOptions { get }

    /// Runs the command.
    func perform(in session: Session) throws
}

extension GroupCommand {
    /// Runs the command in a session of its own.
    func run() throws {
        let session = Session(group, output, commandNames: Cachetool.commandNames)
        defer { session.console.flush() }
        do {
            try perform(in: session)
            try session.finish()
        } catch {
            throw session.completed(error)
        }
    }
}
