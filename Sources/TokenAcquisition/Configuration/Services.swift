// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The world outside: for tests, sandboxes, and applications with an HTTP stack of their own.
public struct Services: Sendable {
    /// Sends requests.
    public var transport: any Transport

    /// The time by which tokens and metadata expire.
    public var clock: WallClock

    /// Waits, and throws if the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// The broker of this machine, which is asked for tokens before a refresh token is redeemed; nil by default.
    public var broker: (any Broker)?

    /// Shows the server's pages; nil by default: interactive requests then fail.
    public var browser: (any Browser)?

    /// Receives what the server sends back through the browser; nil by default: interactive requests then fail.
    public var redirectListener: (any RedirectListener)?

    /// Is called after each request and each call, except for silent requests that the cache satisfies, on the thread that
    /// made it: return at once. Nil by default.
    public var onEvent: (@Sendable (AcquisitionEvent) -> Void)?

    /// Creates services.
    ///
    /// - Parameters:
    ///   - transport: sends requests.
    ///   - clock: the time; use the one that the cache was opened with.
    ///   - sleep: waits, and throws if the task is cancelled.
    public init(
        transport: any Transport,
        clock: WallClock = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.transport = transport
        self.clock = clock
        self.sleep = sleep
    }
}
