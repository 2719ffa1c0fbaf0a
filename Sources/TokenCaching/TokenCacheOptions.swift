/// How a cache behaves; the defaults are meant for programs.
public struct TokenCacheOptions: Sendable {
    /// What tells the time.
    public var clock: WallClock

    /// How long a call may wait for a lock, for storage or for the keyring before it throws ``TokenCacheError/Code/busy`` or
    /// ``TokenCacheError/Code/timeout``.
    public var timeout: Duration

    /// Whether the keyring may ask the person something while the cache is opened. Never, unless it is said.
    public var prompts: KeyringPrompts

    /// What instance discovery says of clouds; nil for the clouds that the MSAL libraries ship and
    /// what other processes of the group learnt in the last day. Taken in as by ``TokenCache/learn(_:)``, but that a group
    /// which cannot be written now is opened all the same.
    public var clouds: CloudMetadata?

    /// Options with the system's clock, a timeout of two seconds and no prompts.
    public init(
        clock: WallClock = .system,
        timeout: Duration = .seconds(2),
        clouds: CloudMetadata? = nil,
        prompts: KeyringPrompts = .never
    ) {
        self.clock = clock
        self.timeout = timeout
        self.clouds = clouds
        self.prompts = prompts
    }
}
