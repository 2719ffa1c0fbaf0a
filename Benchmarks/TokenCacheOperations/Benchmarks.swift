// SPDX-License-Identifier: Apache-2.0

import Benchmark
import Glibc
import Operations
import TokenCaching

/// One benchmark for each operation and size. `TOKEN_CACHE_BENCHMARK_SIZES` names other sizes than 10 and 1,000, and with
/// `TOKEN_CACHE_BENCHMARK_KEYRING` some operations are measured in the keyring of the session too.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput],
        warmupIterations: 1,
        maxDuration: .milliseconds(500)
    )
    let chosen = getenv("TOKEN_CACHE_BENCHMARK_SIZES").map { String(cString: $0) } ?? "10,1000"
    for size in chosen.split(separator: ",").compactMap({ Int($0) }) {
        for name in Workbench.names { register(name, size) }
        guard getenv("TOKEN_CACHE_BENCHMARK_KEYRING") != nil else { continue }
        for name in ["open-to-first-token", "save-response", "foreign-change", "sign-out"] {
            register(name, size, in: .keyring)
        }
    }
}

private func register(_ name: String, _ size: Int, in storage: StorageChoice? = nil) {
    let isQuick = ["hit-", "new-", "query-", "hand-", "account-"].contains { name.hasPrefix($0) }
    Benchmark(
        "\(storage == nil ? "" : "keyring-")\(name).\(size)",
        configuration: .init(
            timeUnits: isQuick ? .nanoseconds : .microseconds,
            scalingFactor: isQuick ? .kilo : .one
        )
    ) { benchmark, operation in
        for round in benchmark.scaledIterations {
            if isQuick {
                try operation.run(round)
            } else {
                try operation.prepare(round)
                benchmark.startMeasurement()
                try operation.run(round)
                benchmark.stopMeasurement()
            }
        }
    } setup: { () -> Operation in
        try Scratch.workbench(size, storage ?? .file(unlockedBy: .keyFile)).operation(named: name)
    }
}

/// The cache that this process measures, in a folder that goes away with it.
private enum Scratch {
    static func workbench(_ size: Int, _ storage: StorageChoice) throws -> Workbench {
        var template = Array("/var/tmp/token-cache-benchmark.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure.noFolder }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        setenv("TOKEN_CACHE_BENCHMARK_FOLDER", path, 1)
        atexit { _ = system("rm -rf \"$TOKEN_CACHE_BENCHMARK_FOLDER\"") }
        let folder = CacheFolder(count: size, path: path, storage: storage)
        try folder.fill()
        return try Workbench(folder)
    }

    enum Failure: Error { case noFolder }
}
