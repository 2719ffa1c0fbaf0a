import Programs

/// Starts group-worker on a scratch group and reads what it says.
struct Workers {
    let group: ScratchGroup

    init() throws {
        group = try ScratchGroup()
    }

    /// Starts a worker and waits until it has opened the group.
    func start(_ verb: String, _ options: [String: Int] = [:]) throws -> RunningProgram {
        let worker = try Program.groupWorker.start(arguments(verb, options))
        let said = worker.waitForLines(1)
        guard said.first == "ready" else {
            let finished = try worker.finish()
            throw Unfit(reason: "\(verb) did not get ready: \(finished.messages)")
        }
        return worker
    }

    /// Runs a worker to its end and gives its lines, without "ready".
    func run(_ verb: String, _ options: [String: Int] = [:]) throws -> [String] {
        let finished = try Program.groupWorker.run(arguments(verb, options))
        guard finished.exitCode == 0 else {
            throw Unfit(reason: "\(verb) ended with \(String(describing: finished.exitCode)): \(finished.messages)")
        }
        return Array(finished.lines.dropFirst())
    }

    func arguments(_ verb: String, _ options: [String: Int]) -> [String] {
        [verb] + group.options + options.sorted(by: <).flatMap { ["--" + $0.key, String($0.value)] }
    }

    /// The tokens of all accounts of a writer, as a fresh process finds them.
    func holdings(writer: Int = 0, accounts: Int) throws -> [Holding] {
        try run("list", ["writer": writer, "accounts": accounts]).map(Holding.init(line:))
    }
}
