/// How a cache behaves; the defaults are meant for programs.
public struct TokenCacheOptions: Sendable {
    /// What tells the time.
    public var clock: WallClock

    /// How long a call may wait for a lock or for storage before it throws ``TokenCacheError/Code/busy`` or
    /// ``TokenCacheError/Code/timeout``.
    public var timeout: Duration

    /// What instance discovery says of clouds; nil for the clouds that the MSAL libraries ship.
    public var clouds: CloudMetadata?

    /// Options with the system's clock and a timeout of two seconds.
    public init(clock: WallClock = .system, timeout: Duration = .seconds(2), clouds: CloudMetadata? = nil) {
        self.clock = clock
        self.timeout = timeout
        self.clouds = clouds
    }
}
