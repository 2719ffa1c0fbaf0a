// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
public import TokenCaching
internal import UnifiedSchema

extension CacheGroup {
    /// Reads what one client may see of the group as a document that its library can load, edit and give back.
    ///
    /// For libraries that load and store their cache as a whole, such as MSAL for Go, .NET and Node: pass the document to the
    /// library before it accesses its cache, and what the library then has to ``CacheDocument/merge(_:options:)``.
    ///
    /// ```swift
    /// var document = try group.document(for: clientID)
    /// let edited = try document.withBytes { (bytes) throws(TokenCacheError) in library.edit(bytes) }
    /// try document.merge(edited.bytes)
    /// ```
    ///
    /// The document contains the entries of the accounts that the client did not sign out of: its own tokens, the refresh
    /// tokens of other clients that it may redeem as a member of their family, and the accounts; and the client's app
    /// metadata. It never contains other tokens of other clients. All of the five sections are there, even if they are empty.
    ///
    /// - Parameters:
    ///   - clientID: the client, as it is registered.
    ///   - account: the home account id of an account, or the username of one without an id, to read only that: some kB
    ///     instead of all accounts of the client. `nil` for all of them, and for the tokens of the application itself.
    /// - Returns: the document.
    /// - Throws: `invalidRequest` for a blank client or account; `busy` if other processes keep erasing what is read;
    ///   `damaged`, `closed`, `forkedProcess`, codes about the files or the keyring of the group.
    public func document(
        for clientID: String,
        account: String? = nil
    ) throws(TokenCacheError) -> CacheDocument {
        try opened.translating(try read(clientID, account))
    }

    private func read(_ clientID: String, _ account: String?) throws(StorageError) -> CacheDocument {
        let client = UTF8Text(clientID).normalized()
        guard !client.isEmpty else { throw StorageError(.invalidRequest, detail: "the client id is blank") }
        let name = account.map { HomeAccountID.comparable(UTF8Text($0)) }
        guard name?.isEmpty != true else { throw StorageError(.invalidRequest, detail: "the account is blank") }
        let time = newTime()
        for _ in 0..<Self.documentAttempts {
            let store = try opened.snapshot(until: time.deadline)
            defer { store.close() }
            let now = WallClock.system.now().secondsSince1970
            let clouds = try opened.codec.clouds(in: store, at: now, until: time.deadline)
            var partition: PartitionTag?
            if let name { partition = try self.partition(of: name, in: store, until: time.deadline) }
            let begun = SuspendingClock.now
            do throws(StorageError) {
                var view = DocumentView(
                    of: client,
                    at: try store.newestSequence(until: time.deadline),
                    text: try SecretDocument(),
                    codec: opened.codec,
                    clouds: clouds,
                    isDamaged: isDamaged
                )
                try view.read(store, account: partition, until: time.deadline)
                return CacheDocument(
                    self,
                    clientID,
                    account,
                    try view.written(),
                    partition: partition,
                    clouds: clouds
                )
            } catch {
                // A sign-out erased an entry in the meantime.
                guard error.code == .tokenGone else { throw error }
            }
            noteReading(since: begun, time)
        }
        throw StorageError(.busy, detail: "the group changed while the document was read")
    }

    /// The partition of an account that is named by its home account id, or else by its username.
    private func partition(
        of name: UTF8Text,
        in store: any RecordStore,
        until deadline: Deadline
    ) throws(StorageError) -> PartitionTag {
        let own = try opened.codec.partition(ofAccount: name.bytes)
        let other = try opened.codec.partition(ofUsername: name.bytes)
        if try !store.contents(of: own, until: deadline).records.isEmpty { return own }
        return try store.contents(of: other, until: deadline).records.isEmpty ? own : other
    }

    /// The maximum number of attempts, as for exports.
    private static var documentAttempts: Int { 5 }
}

/// The cache of one client as a document, and what is needed to merge an edited version of it into the group.
///
/// The text is in secret memory. Besides it only hashes of the entries are kept. Not for use by two threads at once.
public struct CacheDocument: ~Copyable, Sendable {
    /// The client that the document was read for.
    public let clientID: String
    /// The account that the document was read for; `nil` if it contains all accounts of the client.
    public let account: String?

    private let group: CacheGroup
    private var text: SecretBytes
    private let partition: PartitionTag?
    private var base: DocumentBase
    /// The clouds that were known when the base was made.
    private let clouds: CloudTable

    init(
        _ group: CacheGroup,
        _ clientID: String,
        _ account: String?,
        _ view: consuming DocumentView.Written,
        partition: PartitionTag?,
        clouds: CloudTable
    ) {
        self.group = group
        self.clientID = clientID
        self.account = account
        base = view.base
        text = view.text
        self.partition = partition
        self.clouds = clouds
    }

    /// Passes the document to `body`: unified JSON in UTF-8, as it was read from the group. It contains tokens in plaintext.
    ///
    /// - Parameter body: receives the document. The bytes must not escape from it.
    /// - Returns: the result of `body`.
    /// - Throws: `forkedProcess` in a child of the process that read it, and the errors of `body`.
    public func withBytes<Result>(
        _ body: (RawSpan) throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        try group.opened.translating(try group.opened.checkProcess())
        return try body(text.bytes)
    }

    /// Wipes the text, which ``withBytes(_:)`` then passes as empty. Merging does not need it.
    package mutating func dropText() throws(TokenCacheError) {
        text = try group.opened.translating(try sealing(try SecretBytes(byteCount: 0)))
    }

    /// Merges a document that the client's library edited into the group, in one transaction.
    ///
    /// Three versions of each entry are compared: the one that the client was handed, the edited one and that of the group
    /// by now. What the client did not change stays as the group has it; what it changed or added replaces every entry
    /// that is the same credential, as a save does; what it removed is removed if nobody changed it meanwhile. If an account
    /// is removed with its tokens, the client is signed out of it. After a sign-out by another process, only an interactive
    /// sign-in brings the account back. Entries of other clients are never changed, except that the
    /// successor of a refresh token of the client's family replaces it everywhere.
    ///
    /// Afterwards the edited document is what the client was handed, so that a library may give back its cache
    /// after each of its steps. Merging the same document again changes nothing, also after an error. A document without
    /// edits costs no access to the group.
    ///
    /// - Parameters:
    ///   - edited: the whole document, strict JSON in UTF-8 of at most 64 MiB.
    ///   - options: whether an empty document is accepted, and how long to wait.
    /// - Returns: what was done.
    /// - Throws: `malformedDocument` if it is no JSON, has a key twice, has no section of a cache, or is empty although the
    ///   client was handed entries; `tooLarge` beyond a limit; `damaged` if it is unknown what may be changed;
    ///   `busy`, `readOnly`, `full`, `indeterminate`, `closed`, `forkedProcess` and other errors of a store. Nothing is changed
    ///   if it throws, except perhaps after `indeterminate`.
    @discardableResult
    public mutating func merge(
        _ edited: RawSpan,
        options: MergeOptions = MergeOptions()
    ) throws(TokenCacheError) -> MergeReport {
        try group.opened.translating(try group.opened.checkProcess())
        do throws(StorageError) {
            return try merged(edited, options)
        } catch {
            throw TokenCacheError(group.opened.cause(of: error))
        }
    }

    private mutating func merged(_ edited: RawSpan, _ options: MergeOptions) throws(StorageError) -> MergeReport {
        let opened = group.opened
        let client = UTF8Text(clientID).normalized()
        let document = try EditedDocument(edited, client: client, codec: opened.codec, clouds: clouds)
        if document.isEmpty, !base.entries.isEmpty, !options.allowsEmpty {
            throw StorageError(
                .malformedDocument,
                detail: "the edited document is empty, which would remove every entry",
                advice: "Allow it if that is meant, or give back a document whose sections are empty"
            )
        }
        if document.isUnchanged(since: base) { return MergeReport() }
        if let reason = opened.store.readOnlyReason { throw reason }
        let time = options.timeout.map { WaitingTime($0) } ?? group.newTime()
        let store = try opened.snapshot(until: time.deadline)
        defer { store.close() }
        var merge = try DocumentMerge(
            document,
            over: base,
            client: client,
            account: partition,
            codec: opened.codec,
            clouds: clouds,
            now: WallClock.system.now().secondsSince1970
        )
        try store.commit(until: time.deadline) { (context, batch) throws(StorageError) in
            var transaction = Transaction(context, batch, store: store, codec: opened.codec)
            try merge.write(edited, &transaction, store: store)
        }
        base = merge.base
        return merge.report
    }
}
