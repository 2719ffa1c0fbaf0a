internal import RecordStorage
internal import UnifiedSchema

/// Takes over who is signed in according to MSAL for ObjC: writes the library's own states, where it has none of its own.
///
/// The entry itself is kept like any other. Lookups ask the own states only.
struct ImportedSignInStates {
    private let codec: RecordCodec
    private let now: Int64
    private var written: Set<RecordTag> = []

    init(codec: RecordCodec, now: Int64) {
        self.codec = codec
        self.now = now
    }

    /// Takes an entry that goes in. If `isForced`, it prevails over states that are there.
    mutating func take(
        _ facts: EntryFacts,
        _ window: inout PartitionWindow,
        isForced: Bool,
        output: EntryOutput
    ) throws(StorageError) {
        guard let metadata = AccountMetadataView(facts), let client = metadata.clientID?.normalized().string else {
            return
        }
        for account in metadata.accounts {
            let id = account.homeAccountID.normalized()
            guard !id.isEmpty, let value = SignInState.Value(account.signInState) else { continue }
            let partition = try codec.partition(ofAccount: id.bytes)
            let tag = try codec.signInStateTag(clientID: client, partition: partition)
            var state = TokenCaching.SignInState(clientID: client, account: id.string)
            if let before = try window.partition(partition), let stored = before.record(tag) {
                let known = try codec.openSignInState(stored.facts, of: stored.record, reader: before.contents.reader)
                // A state that cannot be read may be one that says "signed out".
                guard let known, isForced || known.value == .unknown else { continue }
                state = known
            }
            guard written.insert(tag).inserted else { continue }
            try output.put(
                state.changed(to: value, at: now).encoded(),
                kind: EngineRecordKind.signInState.recordKind,
                at: RecordAddress(tag: tag, partition: partition, searchTags: [])
            )
        }
    }
}

extension SignInState.Value {
    /// Nil for a state that says nothing.
    fileprivate init?(_ state: UnifiedSchema.SignInState) {
        switch state {
        case .unknown: return nil
        case .signedIn: self = .signedIn
        case .signedOut: self = .signedOut
        }
    }
}
