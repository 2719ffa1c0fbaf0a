// SPDX-License-Identifier: Apache-2.0

import Glibc
import SampleAccounts
import TokenCaching

/// Measures what the library promises, each figure beside its floor in the same run.
///
///     swift run -c release --package-path Benchmarks figures [accounts ...]
///
/// Each step is measured in a process of its own, so that memory is that of this step.
@main
enum Figures {
    /// What is measured of each size, in this order: later steps use the cache that the first one made.
    enum Step: String, CaseIterable {
        case `import`, open, memory, lookups, renewals, saves, kinds, sharing
    }

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let first = arguments.first, let step = Step(rawValue: first) {
            guard arguments.count == 3, let count = Int(arguments[1]) else { return usage() }
            return try await measure(step, Scene(count: count, folder: arguments[2]))
        }
        if arguments.first == "saver", arguments.count == 3, let count = Int(arguments[1]) {
            return try Scene(count: count, folder: arguments[2]).saveOnDemand()
        }
        let sizes = arguments.compactMap(Int.init)
        guard sizes.count == arguments.count else { return usage() }
        for count in sizes.isEmpty ? [10, 1_000, 100_000] : sizes { run(count) }
    }

    private static func measure(_ step: Step, _ scene: Scene) async throws {
        switch step {
        case .import: try scene.measureImport()
        case .open: try scene.measureOpening()
        case .memory: try scene.measureMemory()
        case .lookups: try scene.measureLookups()
        case .renewals: try await scene.measureRenewals()
        case .saves: try scene.measureSaves()
        case .kinds: try scene.measureKinds()
        case .sharing: try scene.measureSharing()
        }
    }

    private static func run(_ count: Int) {
        var template = Array("/var/tmp/token-cache-figures.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return print("no folder for \(count) accounts") }
        let folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { _ = system("rm -rf \(folder)") }
        print("\n\(count) accounts")
        fflush(nil)
        for step in Step.allCases {
            let status = system("'\(CommandLine.arguments[0])' \(step.rawValue) \(count) \(folder)")
            if status != 0 { print("  \(step.rawValue): failed") }
        }
    }

    private static func usage() {
        print("usage: figures [accounts ...]    such as: figures 10 1000 100000")
    }
}
