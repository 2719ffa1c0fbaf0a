internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import Synchronization
internal import UnifiedSchema

/// Answers lookups from the facts of the accounts in use, and makes changes.
///
/// A repeated lookup takes no lock and enters no kernel: it compares the store's revision with the one that its answer
/// stands at. Everything else goes through ``EngineState``, whose mutex is held for table look-ups only and never while a
/// store is called, so that a slow store delays nobody who does not need it.
final class Engine: Sendable {
    let store: any RecordStore
    let codec: RecordCodec
    let clock: WallClock
    /// What is known of clouds; replaced when discovery tells more.
    let knownClouds: Mutex<CloudKnowledge>
    /// Which version of what the group knows of clouds was taken in; 0 for none.
    let takenClouds = Atomic<UInt64>(0)
    /// The client that asks, as it was given, for entries that are written.
    let clientID: String
    /// The same, trimmed and folded.
    let foldedClient: String
    private let foldedClientBytes: FixedBytes
    /// How long a call of the cache may wait for locks and the store, all in all.
    let timeout: Duration
    /// Where all calls share one timeout.
    private let sharedTime: WaitingTime?
    let groupPartition: PartitionTag

    /// Copied out of the store: one load away from a lookup.
    private let revision: RevisionWord
    /// Added to the revision; changes where the store changed and its word did not, and in a forked child.
    private let epochOffset = Atomic<UInt64>(0)
    /// The process that made the engine.
    private let process = SecretMemory.generation
    /// When the store was last asked whether it moved unnoticed: nanoseconds of the system's clock.
    private let lastProbe = Atomic<Int64>(.min)
    let state: Mutex<EngineState>
    /// Held by whoever changes the group, before anything else: nobody who only looks up waits for it.
    let changing = TimedLock()
    /// Held while the store is refreshed: changes are told once, so whoever is told must note them before the next asks.
    let refreshing = TimedLock()
    /// Held while the accounts of the group are listed: lists wait for lists only.
    let listing = TimedLock()
    /// The accounts of the group, once they were listed. Only whoever holds ``listing`` asks for it, so nobody waits for the
    /// mutex while the store is read.
    let accountIndex = Mutex(AccountIndex())
    /// What servers refused that this process asked.
    let refusals = Mutex(RefusalMemory())
    /// What they said of tokens that are gone for it.
    let lastWords = Mutex(LastWords())
    /// Those that are told of changes.
    let feeds = Mutex<[WeakFeed]>([])

    /// How often the store is asked whether it moved unnoticed, at most: every 250 ms.
    private static let probeInterval: UInt64 = 250_000_000
    /// How often a refresh that failed is tried again, at most: every second.
    static let retryInterval: UInt64 = 1_000_000_000

    init(
        store: any RecordStore,
        keyring: GroupKeyring,
        clientID: String,
        clock: WallClock,
        timeout: Duration,
        sharedTime: WaitingTime? = nil,
        clouds: CloudKnowledge
    ) throws(TokenCacheError) {
        self.store = store
        codec = RecordCodec(keyring: keyring)
        self.clock = clock
        self.timeout = timeout
        self.sharedTime = sharedTime
        knownClouds = Mutex(clouds)
        self.clientID = clientID
        foldedClient = UTF8Text(clientID).normalized().string
        foldedClientBytes = FixedBytes(Array(foldedClient.utf8))
        revision = store.revision
        state = Mutex(EngineState())
        do {
            groupPartition = try codec.groupPartition()
        } catch {
            throw TokenCacheError(error)
        }
        // What was read to open the store is as new as that: no refresh as long as nothing changes.
        state.withLock { $0.revision = store.revisionAtOpening }
        ForkedEngines.shared.add(self)
    }

    deinit {
        ForkedEngines.shared.remove(self)
    }

    /// Tells this engine from others as long as it lives.
    @inline(__always)
    var address: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

    /// The bytes of the client's folded id.
    var clientBytes: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the bytes are a constant of this object, so they live as long as the object does.
            unsafe _overrideLifetime(foldedClientBytes.unsafeBytes, borrowing: self)
        }
    }

    var facts: PartitionFactsLoader {
        PartitionFactsLoader(codec: codec, clouds: cloudKnowledge, clientID: foldedClient)
    }

    /// By when a call that begins now has to return. Asked once for each call.
    func newDeadline() -> Deadline { sharedTime?.deadline ?? .after(timeout) }

    // MARK: - The hot path

    /// What there is for a query.
    @inline(__always)
    func token(for query: TokenQuery) throws(TokenCacheError) -> TokenDecision {
        let now = ClockReading.now(clock)
        if let answer = query.answers.load(),
            answer.stands(at: currentRevision(), address: address, now: now.seconds), !isProbeDue(now)
        {
            return answer.decision(now: now.seconds)
        }
        return try lookUp(query, now)
    }

    /// What a query got last, where that stands: who has it needs no thread that may wait. Never waits.
    ///
    /// - Returns: nil if it has to be looked up.
    func standingDecision(for query: TokenQuery) -> TokenDecision? {
        let now = ClockReading.now(clock)
        if isProbeDue(now) { probeIfPossible(now) }
        guard let answer = query.answers.load(),
            answer.stands(at: currentRevision(), address: address, now: now.seconds), !isProbeDue(now)
        else { return nil }
        return answer.decision(now: now.seconds)
    }

    /// The token that a query got last, where it is good, need not be renewed, and the query does not pass it over: who has
    /// that needs neither a lease nor a thread. Never waits.
    ///
    /// - Returns: nil if that has to be found out.
    @inline(__always)
    func goodToken(for query: TokenQuery) -> AccessToken? {
        guard !query.terms.passesStoredTokens else { return nil }
        let now = ClockReading.now(clock)
        if isProbeDue(now) { probeIfPossible(now) }
        guard let answer = query.answers.load(), answer.isGood(now: now.seconds),
            answer.stands(at: currentRevision(), address: address, now: now.seconds), !isProbeDue(now)
        else { return nil }
        return answer.goodToken
    }

    @inline(__always)
    func isProbeDue(_ now: ClockReading) -> Bool {
        // Unsigned, so that a clock that was set back makes a probe due as well.
        UInt64(bitPattern: now.nanoseconds &- lastProbe.load(ordering: .relaxed)) >= Engine.probeInterval
    }

    /// Notes when opening the store began: it looked at what a probe looks at.
    func noteOpening(_ began: ClockReading) {
        if store.revisionAtOpening != nil { noteProbe(began) }
    }

    func noteProbe(_ now: ClockReading) {
        lastProbe.store(now.nanoseconds, ordering: .relaxed)
    }

    /// What the store's word says, told apart from what it said before any unnoticed change.
    @inline(__always)
    func currentRevision() -> UInt64 {
        revision.load() &+ epochOffset.load(ordering: .relaxed)
    }

    /// Makes every answer that was given so far count as old.
    func invalidateAll() {
        // Odd and large, so that no later word meets an earlier sum.
        epochOffset.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .releasing)
    }

    /// Every call begins with it, before any lock: a thread of the parent may have held that at the moment of the fork.
    ///
    /// - Throws: `forkedProcess` in a child of the process that made the engine.
    func checkProcess() throws(TokenCacheError) {
        if !SecretMemory.isCurrent(process) { throw TokenCacheError(.forkedProcess) }
    }
}

extension Engine {
    /// Closes the store. Later lookups throw `closed`; so do those that are under way, when they reach the store.
    func close() {
        // What a parent opened is not the child's to close.
        guard SecretMemory.isCurrent(process) else { return }
        let wasOpen = state.withLock { state in
            defer { state.close() }
            return !state.isClosed
        }
        guard wasOpen else { return }
        // Answers that were given must not be repeated.
        invalidateAll()
        stopFeeds()
        store.close()
    }
}
