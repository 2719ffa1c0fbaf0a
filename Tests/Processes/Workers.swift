// SPDX-License-Identifier: Apache-2.0

import Programs

/// Starts group-worker on a scratch group and reads what it says.
struct Workers {
    let group: ScratchGroup

    /// A group in `keyring`; in a file where that is nil.
    init(in keyring: PrivateKeyring? = nil) throws {
        group = try ScratchGroup(in: keyring)
    }

    /// Starts a worker and waits until it has opened the group.
    func start(_ verb: String, _ options: [String: Int] = [:]) throws -> RunningProgram {
        let worker = try launch(arguments(verb, options))
        let said = worker.waitForLines(1)
        guard said.first == "ready" else {
            let finished = try worker.finish()
            throw Unfit(reason: "\(verb) did not get ready: \(finished.messages)")
        }
        return worker
    }

    /// Starts so many workers that renew at a token endpoint, and waits until they have opened the group.
    func renewers(_ count: Int, at endpoint: Endpoint, _ options: [String: Int] = [:]) throws -> [RunningProgram] {
        let options = options.merging(["port": endpoint.port]) { own, _ in own }
        let started = try (0..<count).map { _ in try launch(arguments("renew", options)) }
        for worker in started where worker.waitForLines(1).first != "ready" {
            throw Unfit(reason: "a renewer did not get ready: \(worker.messagesSoFar)")
        }
        return started
    }

    /// Signs in with an access token that has ended.
    func signIn(at endpoint: Endpoint, client: Int = 0) throws {
        guard try run("sign-in", ["port": endpoint.port, "client": client]) == ["signed in"] else {
            throw Unfit(reason: "nobody signed in")
        }
    }

    /// Runs a worker to its end and gives its lines, without "ready".
    func run(_ verb: String, _ options: [String: Int] = [:]) throws -> [String] {
        let finished = try launch(arguments(verb, options)).finish()
        guard finished.exitCode == 0 else {
            throw Unfit(reason: "\(verb) ended with \(String(describing: finished.exitCode)): \(finished.messages)")
        }
        return Array(finished.lines.dropFirst())
    }

    /// Starts a worker, and does not wait until it has opened the group.
    func launch(_ arguments: [String]) throws -> RunningProgram {
        try Program.groupWorker.start(arguments, environment: group.environment)
    }

    func arguments(_ verb: String, _ options: [String: Int] = [:]) -> [String] {
        [verb] + group.options + ["--storage", group.storage.rawValue]
            + options.sorted(by: <).flatMap { ["--" + $0.key, String($0.value)] }
    }

    /// The tokens of all accounts of a writer, as a fresh process finds them.
    func holdings(writer: Int = 0, accounts: Int) throws -> [Holding] {
        try run("list", ["writer": writer, "accounts": accounts]).map(Holding.init(line:))
    }
}
