// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TokenAcquisition

/// What is left of a transport, and of a request, that somebody gave up. Serialized: threads of the whole process are counted.
@Suite(.serialized) struct EndingTests {
    @Test func `a cancelled request ends, and so does its connection`() async throws {
        let transport = HTTPTransport.trusting()
        let path = "/never/\(uniqueTag())"
        let task = Task { await transport.failure(of: HostileServer.tls.url(path), timeout: .seconds(500)) }
        try await until { try await HostileServer.count(path) == 1 }
        task.cancel()
        #expect(await task.value == TransportError(.cancelled, mayHaveBeenSent: true))
        try await until { try await HostileServer.count("/ended" + path) == 1 }
        await transport.close()
    }

    @Test func `a task that is cancelled sends nothing`() async throws {
        let transport = HTTPTransport.trusting()
        let path = "/echo/\(uniqueTag())"
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await transport.failure(of: HostileServer.tls.url(path))
        }
        task.cancel()
        #expect(await task.value == TransportError(.cancelled, mayHaveBeenSent: false))
        #expect(try await HostileServer.count(path) == 0)
        await transport.close()
    }

    @Test func `closing ends what is under way, and refuses what follows`() async throws {
        let transport = HTTPTransport.trusting()
        let path = "/never/\(uniqueTag())"
        let task = Task { await transport.failure(of: HostileServer.tls.url(path), timeout: .seconds(500)) }
        try await until { try await HostileServer.count(path) == 1 }
        await transport.close()
        #expect(await task.value?.mayHaveBeenSent == true)
        try await until { try await HostileServer.count("/ended" + path) == 1 }
        #expect(
            await transport.failure(of: HostileServer.tls.url("/echo"))
                == TransportError(.closed, mayHaveBeenSent: false)
        )
        await transport.close()
    }

    @Test func `all transports share a thread`() async throws {
        for _ in 0..<5 {
            let transport = HTTPTransport.trusting()
            _ = try await transport.post(HostileServer.tls.url("/echo"))
            await transport.close()
            try await until { eventLoops == 1 }
        }
    }

    // SwiftNIO ends the process here if something is left for an event loop that has ended (SWIFTNIO_STRICT).
    @Test func `a transport that is closed before it has read the root certificates leaves nothing undone`() async {
        for _ in 0..<10 {
            let transport = HTTPTransport.trusting()
            #expect(await transport.failure(of: "https://\(unresolvableName)/")?.code == .hostNotFound)
            await transport.close()
        }
    }

    /// The threads of event loops in this process.
    private var eventLoops: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix("NIO-ELT")
                ?? false
        }
    }

    /// Waits for what has to come; a minute is an end for the wait, and no measure.
    private func until(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<1200 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it did not happen in a minute")
    }
}
