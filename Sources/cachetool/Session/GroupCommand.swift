// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A command on a group, or on the folder that contains groups.
protocol GroupCommand: ParsableCommand {
    var group: GroupOptions { get }
    var output: OutputOptions { get }

    /// Runs the command.
    func perform(in session: Session) throws
}

extension GroupCommand {
    func run() throws {
        let session = Session(group, output)
        defer { session.console.flush() }
        do {
            try perform(in: session)
            try session.finish()
        } catch {
            throw session.completed(error)
        }
    }
}
