import ArgumentParser

/// A command that works on a group, or on the folder that groups lie in.
protocol GroupCommand: ParsableCommand {
    var group: GroupOptions { get }
    var output: OutputOptions { get }

    /// Does it.
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
