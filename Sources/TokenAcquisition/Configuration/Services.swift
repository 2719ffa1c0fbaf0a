// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The client's connections to its environment, replaceable for tests, sandboxes, and applications with an HTTP stack
/// of their own.
public struct Services: Sendable {
    /// Sends requests.
    public var transport: any Transport

    /// The clock that decides when tokens and metadata have expired.
    public var clock: WallClock

    /// Waits for the given time. Throws if the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// The broker of this machine, which the client asks for tokens before it redeems a refresh token; nil by default.
    public var broker: (any Broker)?

    /// Shows the server's pages. Nil by default: interactive requests then fail.
    public var browser: (any Browser)?

    /// Receives the server's response through the browser. Nil by default: interactive requests then fail.
    public var redirectListener: (any RedirectListener)?

    /// Called after each request and each call, except for silent requests that the cache satisfies, on the thread that
    /// made it: return at once. Nil by default.
    public var onEvent: (@Sendable (AcquisitionEvent) -> Void)?

    /// Creates services.
    ///
    /// - Parameters:
    ///   - transport: sends requests.
    ///   - clock: the clock; use the one that the cache was opened with.
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
