// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import Synchronization
internal import UnifiedSchema

/// Answers lookups from the facts of the accounts in use, and makes changes.
///
/// A repeated lookup takes no lock and makes no system call: it compares the store's revision with the one at which its
/// answer is valid. Everything else goes through ``EngineState``, whose mutex is held only for table lookups and never
/// while a store is called, so that a slow store delays only callers that need it.
final class Engine: Sendable {
    let store: any RecordStore
    let codec: RecordCodec
    let clock: WallClock
    /// The known clouds; replaced when discovery adds some.
    let knownClouds: Mutex<CloudKnowledge>
    /// The version of the group's stored clouds that was added; 0 for none.
    let addedClouds = Atomic<UInt64>(0)
    /// The client of this cache, as given, for the entries that it writes.
    let clientID: String
    /// The client, trimmed and folded.
    let foldedClient: String
    private let foldedClientBytes: FixedBytes
    /// How long a call may wait for locks and the store in total.
    let timeout: Duration
    /// The time that several calls share; nil if each call has its own timeout.
    private let sharedTime: WaitingTime?
    /// Whether a failed read is retried on another thread.
    let startsThreads: Bool
    let groupPartition: PartitionTag

    /// Copied from the store, so that a lookup reaches it with one load.
    private let revision: RevisionWord
    /// Added to the revision. It changes if the store changed without announcing it, and in a forked child.
    private let revisionOffset = Atomic<UInt64>(0)
    /// The process that created the engine.
    private let process = SecretMemory.generation
    /// When the store was last asked about unannounced changes: nanoseconds of the system's clock.
    private let lastProbe = Atomic<Int64>(.min)
    let state: Mutex<EngineState>
    /// Held by a thread that changes the group, before any other lock: lookups do not wait for it.
    let changing = TimedLock()
    /// Held while the store is refreshed: changes are reported only once, so they must be recorded before the next
    /// refresh.
    let refreshing = TimedLock()
    /// Held while the accounts of the group are listed: only other lists wait for it.
    let listing = TimedLock()
    /// The accounts of the group, once they have been listed. Used only while holding ``listing``, so no thread waits
    /// for this mutex while the store is read.
    let accountIndex = Mutex(AccountIndex())
    /// The refusals that this process received.
    let refusals = Mutex(RefusalMemory())
    /// The servers' last responses about tokens that were removed because of these responses.
    let lastResponses = Mutex(LastResponses())
    /// The feeds to notify of changes.
    let feeds = Mutex<[WeakFeed]>([])

    /// The minimum interval between probes for unannounced changes: 250 ms.
    private static let probeInterval: UInt64 = 250_000_000
    /// The minimum interval between retries of a failed refresh: one second.
    static let retryInterval: UInt64 = 1_000_000_000

    init(
        store: any RecordStore,
        unlockedKeys: UnlockedKeys,
        clientID: String,
        clock: WallClock,
        timeout: Duration,
        sharedTime: WaitingTime? = nil,
        clouds: CloudKnowledge,
        startsThreads: Bool = true
    ) throws(StorageError) {
        self.store = store
        codec = RecordCodec(unlockedKeys: unlockedKeys)
        self.clock = clock
        self.timeout = timeout
        self.sharedTime = sharedTime
        self.startsThreads = startsThreads
        knownClouds = Mutex(clouds)
        self.clientID = clientID
        foldedClient = UTF8Text(clientID).normalized().string
        foldedClientBytes = FixedBytes(Array(foldedClient.utf8))
        revision = store.revision
        state = Mutex(EngineState())
        groupPartition = try codec.groupPartition()
        // The data that opening the store read is at least as new, so no refresh is needed until the store changes.
        state.withLock { $0.revision = store.revisionAtOpening }
        ForkedEngines.shared.add(self)
    }

    deinit {
        ForkedEngines.shared.remove(self)
    }

    /// Identifies this engine as long as it lives.
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

    /// The deadline of a call that begins now. Call this once for each call. A call that had to queue for a thread began
    /// when it was queued.
    func newDeadline() -> Deadline {
        guard let time = Self.timeOfQueuedCall ?? sharedTime else { return .after(timeout) }
        return time.deadline
    }

    /// Set while a thread of the pool runs a call.
    @TaskLocal static var timeOfQueuedCall: WaitingTime?

    // MARK: - The hot path

    /// Answers a query.
    @inline(__always)
    func token(for query: TokenQuery) throws(StorageError) -> TokenDecision {
        let now = ClockReading.now(clock)
        if let answer = query.answers.load(),
            answer.isValid(at: currentRevision(), address: address, now: now.seconds), !isProbeDue(now)
        {
            return answer.decision(now: now.seconds)
        }
        return try lookUp(query, now)
    }

    /// The query's last answer if it is still valid, so that the caller needs no thread that may block. Never waits.
    ///
    /// - Returns: nil if the query has to be looked up.
    func validDecision(for query: TokenQuery) -> TokenDecision? {
        let now = ClockReading.now(clock)
        if isProbeDue(now) { probeIfPossible(now) }
        guard let answer = query.answers.load(),
            answer.isValid(at: currentRevision(), address: address, now: now.seconds), !isProbeDue(now)
        else { return nil }
        return answer.decision(now: now.seconds)
    }

    /// The query's last token if it is valid, need not be renewed, and the query does not ignore it, so that the caller
    /// needs neither a lease nor a thread. Never waits.
    ///
    /// - Returns: nil if this cannot be decided from the last answer.
    @inline(__always)
    func reusableToken(for query: TokenQuery) -> AccessToken? {
        guard !query.terms.ignoresStoredTokens else { return nil }
        let now = ClockReading.now(clock)
        if isProbeDue(now) { probeIfPossible(now) }
        guard let answer = query.answers.load(), answer.hasReusableToken(now: now.seconds),
            answer.isValid(at: currentRevision(), address: address, now: now.seconds), !isProbeDue(now)
        else { return nil }
        return answer.reusableToken
    }

    @inline(__always)
    func isProbeDue(_ now: ClockReading) -> Bool {
        // Unsigned, so that a probe is also due after the clock is set back.
        UInt64(bitPattern: now.nanoseconds &- lastProbe.load(ordering: .relaxed)) >= Engine.probeInterval
    }

    /// Records when opening the store began, because opening checks everything that a probe does.
    func noteOpening(_ began: ClockReading) {
        if store.revisionAtOpening != nil { noteProbe(began) }
    }

    func noteProbe(_ now: ClockReading) {
        lastProbe.store(now.nanoseconds, ordering: .relaxed)
    }

    /// The store's revision word, offset so that it differs from every value before an unannounced change.
    @inline(__always)
    func currentRevision() -> UInt64 {
        revision.load() &+ revisionOffset.load(ordering: .relaxed)
    }

    /// Invalidates all previous answers.
    func invalidateAll() {
        // Odd and large, so that no later word gives an earlier sum.
        revisionOffset.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .releasing)
    }

    /// Every call begins with this, before taking any lock: a thread of the parent may have held the lock at the moment
    /// of the fork.
    ///
    /// - Throws: `forkedProcess` in a child of the process that created the engine.
    func checkProcess() throws(StorageError) {
        if !SecretMemory.isCurrent(process) { throw StorageError(.forkedProcess) }
    }
}

extension Engine {
    /// Closes the store if it has no other user. Later lookups throw `closed`, and so do current ones when they reach
    /// the store.
    func close() {
        // A child must not close what its parent opened.
        guard SecretMemory.isCurrent(process) else { return }
        let wasOpen = state.withLock { state in
            defer { state.close() }
            return !state.isClosed
        }
        guard wasOpen else { return }
        // Previous answers must not be repeated.
        invalidateAll()
        stopFeeds()
        store.close()
    }
}
