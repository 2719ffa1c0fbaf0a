// SPDX-License-Identifier: Apache-2.0

/// The behaviour of a cache; the defaults suit most programs.
public struct TokenCacheOptions: Sendable {
    /// The clock of the cache.
    public var clock: WallClock

    /// How long a call may wait for a lock, for storage or for the keyring before it throws
    /// ``TokenCacheError/Code/busy`` or ``TokenCacheError/Code/timeout``.
    public var timeout: Duration

    /// Whether the keyring may prompt the user while the cache is opened. Never by default.
    public var prompts: KeyringPrompts

    /// The result of instance discovery; nil for the clouds that are built into the MSAL libraries and those that other
    /// processes of the group learned in the last day. The cache learns it as by ``TokenCache/learn(_:)``, except that
    /// opening succeeds even if the group cannot be written now.
    public var clouds: CloudMetadata?

    /// Called after every call that did some work, on the thread that did it and before the call returns, so it should
    /// be quick. Nil, the default, for no handler. An event holds no content. <doc:LogsAndMetrics> shows how to write
    /// one to a log.
    public var onEvent: (@Sendable (CacheEvent) -> Void)?

    /// Whether threads of the library may compact the group's file and retry failed reads. If not, reads are retried on
    /// the calling thread, and the program calls ``TokenCache/maintain()``.
    package var startsThreads = true

    /// Options with the system's clock, a timeout of two seconds and no prompts.
    public init(
        clock: WallClock = .system,
        timeout: Duration = .seconds(2),
        clouds: CloudMetadata? = nil,
        prompts: KeyringPrompts = .never,
        onEvent: (@Sendable (CacheEvent) -> Void)? = nil
    ) {
        self.clock = clock
        self.timeout = timeout
        self.clouds = clouds
        self.prompts = prompts
        self.onEvent = onEvent
    }
}
