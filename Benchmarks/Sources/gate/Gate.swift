// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations

/// Does operations so that other programs can count what they cost. `Benchmarks/check` is what runs it.
///
///     gate fill FOLDER ACCOUNTS             makes a group
///     gate count FOLDER ACCOUNTS            does each operation, and marks where its counting begins and ends
///     gate hits FOLDER ACCOUNTS             asks prepared queries for two seconds between the two marks
///     gate saves FOLDER ACCOUNTS            saves responses between the two marks
///     gate ratios FOLDER ACCOUNTS           times beside their floors
///
/// and, for `Benchmarks/compare`:
///
///     gate document FOLDER ACCOUNTS         writes the unified JSON that the group is made of
///     gate import FOLDER ACCOUNTS           makes the group of it
///     gate memory FOLDER ACCOUNTS           memory for each account
///     gate write FOLDER ACCOUNTS            saves for two seconds
///     gate times FOLDER ACCOUNTS            times of operations
///     gate keyring FOLDER ACCOUNTS          times of a group in the keyring, and of libsecret, in turns
@main
enum Gate {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 3, let count = Int(arguments[2]) else { return usage() }
        let folder = CacheFolder(count: count, path: arguments[1])
        switch arguments[0] {
        case "fill": try folder.fill()
        case "count": for operation in try Workbench(folder).operations { try await self.count(operation) }
        case "hits": try spin(Workbench(folder))
        case "saves": try save(Workbench(folder))
        case "ratios": try Ratios(folder).report()
        case "document": folder.writeDocument()
        case "import": try WholeGroup.reportImport(folder)
        case "memory": try WholeGroup.reportMemory(folder)
        case "write": try WholeGroup.reportWriting(folder)
        case "times": try await Times(folder).report()
        case "keyring": try KeyringTimes(count: count, path: arguments[1]).report()
        default: usage()
        }
    }

    /// One line, with the number of rounds, for each time that the operation was counted.
    private static func count(_ operation: Operation) async throws {
        operation.isAsynchronous ? try await countAsynchronous(operation) : try countSynchronous(operation)
    }

    /// A function of its own, since the loop would cost an instruction more in an asynchronous one.
    @inline(never)
    private static func countSynchronous(_ operation: Operation) throws {
        try operation.warmUp()
        if operation.isPreparedEachRound {
            for round in 0..<operation.rounds {
                try operation.prepare(round)
                gateBegins()
                try operation.run(round)
                gateEnds()
                print("\(operation.name) 1")
            }
        } else {
            for _ in 0..<operation.attempts {
                // The store is asked four times a second whether it moved: right afterwards there is time to count.
                usleep(260_000)
                try operation.warmUp()
                gateBegins()
                try operation.run(0..<operation.rounds)
                gateEnds()
                print("\(operation.name) \(operation.rounds)")
            }
        }
    }

    private static func countAsynchronous(_ operation: Operation) async throws {
        for _ in 0..<operation.attempts {
            usleep(260_000)
            try await operation.runAsynchronously(0..<1)
            gateBegins()
            try await operation.runAsynchronously(0..<operation.rounds)
            gateEnds()
            print("\(operation.name) \(operation.rounds)")
        }
    }

    private static func spin(_ workbench: Workbench) throws {
        // Of one cache: each asks its store for itself.
        let operations = workbench.repeatedLookups.filter { !$0.asksAsSibling }
        let watch = Stopwatch()
        gateBegins()
        var rounds = 0
        while watch.seconds < 2 {
            for operation in operations {
                try operation.run(0..<operation.rounds)
                rounds += operation.rounds
            }
        }
        gateEnds()
        print("hits \(rounds) \(watch.seconds)")
    }

    private static func save(_ workbench: Workbench) throws {
        let saving = workbench.savingResponses
        try saving.warmUp()
        gateBegins()
        for round in 0..<saving.rounds {
            try saving.prepare(round)
            try saving.run(round)
        }
        gateEnds()
        print("saves \(saving.rounds)")
    }

    private static func usage() {
        print("usage: gate fill|count|hits|saves|ratios|document|import|memory|write|times|keyring FOLDER ACCOUNTS")
        exit(2)
    }
}
