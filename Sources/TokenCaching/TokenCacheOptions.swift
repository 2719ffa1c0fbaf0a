// SPDX-License-Identifier: Apache-2.0

/// The behaviour of a cache; the defaults suit most programs.
public struct TokenCacheOptions: Sendable {
    /// The clock of the cache.
    public var clock: WallClock

    /// How long a call may wait for a lock, for storage or for the keyring before it throws ``TokenCacheError/Code/busy`` or
    /// ``TokenCacheError/Code/timeout``.
    public var timeout: Duration

    /// Whether the keyring may prompt the user while the cache is opened. Never by default.
    public var prompts: KeyringPrompts

    /// The result of instance discovery; nil for the clouds that are built into the MSAL libraries and those that other
    /// processes of the group learned in the last day. Used as by ``TokenCache/learn(_:)``, except that a group which
    /// cannot be written now is opened all the same.
    public var clouds: CloudMetadata?

    /// Hears of every call that did some work; nil, unless it is said. Called on the thread that did the work, before the call returns:
    /// it should be quick. An event holds no content. <doc:LogsAndMetrics> shows how to write one to a log.
    public var onEvent: (@Sendable (CacheEvent) -> Void)?

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
