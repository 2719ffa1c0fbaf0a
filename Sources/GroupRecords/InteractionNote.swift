// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage

/// The process that is asking, or last asked, the user to sign in, for one client or family at one authority: an
/// internal record.
///
/// Only the lease shows whether a process is asking now: the kernel releases it when its holder ends.
package struct InteractionNote: Hashable, Sendable {
    package private(set) var record: InternalRecordFacts

    /// A note that names no process.
    package init(_ subject: InteractionSubject) {
        record = InternalRecordFacts()
        switch subject.asker {
        case .client(let id): record[text: .clientID] = id
        case .family(let id): record[text: .family] = id
        }
        record[text: .authority] = subject.authority
    }

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/interaction``.
    ///
    /// - Throws: `damaged` for content that names no client or no authority, `unsupportedVersion` for a later version.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        record = try InternalRecordFacts(decoding: bytes)
        if subject == nil { throw StorageError(.damaged, detail: "a note of a sign-in is malformed") }
    }

    package func encoded() -> [UInt8] { record.encoded() }

    /// Nil while decoding, if a part is missing.
    package var subject: InteractionSubject? {
        guard let authority = record[text: .authority] else { return nil }
        if let family = record[text: .family] { return InteractionSubject(.family(family), authority: authority) }
        return record[text: .clientID].map { InteractionSubject(.client($0), authority: authority) }
    }

    // MARK: - The caller that asks

    /// The process that is asking, or last asked; nil if it is unknown.
    package var processID: Int32? { record[number: .process].flatMap(Int32.init(exactly:)) }

    /// When it last recorded that it is asking, in seconds since 1970.
    package var time: Int64 { record[number: .time] ?? 0 }

    /// How long a caller that asks may be silent, in seconds, before others stop waiting for it.
    package static let longestSilence: Int64 = 300

    /// Whether the caller that asks was silent for too long, or the clock was set.
    package func isSilent(at now: Int64) -> Bool {
        now < time - Self.longestSilence || now >= time + Self.longestSilence
    }

    /// The note of a process that is asking now.
    package func asking(_ process: Int32, at time: Int64) -> InteractionNote {
        var note = self
        note.record[number: .process] = Int64(process)
        note.record[number: .time] = time
        return note
    }

    // MARK: - The answers

    /// The user's answer.
    package enum Answer: Hashable, Sendable {
        /// An account signed in; `partition` is the partition of the account.
        case signedIn(partition: PartitionTag)
        /// The user declined.
        case declined
        /// The application withdrew the question.
        case cancelled
    }

    /// The last answer, and the transaction that wrote it; nil if there was none, or its kind is unknown to this
    /// version.
    package var answer: (value: Answer, sequence: UInt64)? {
        guard let sequence = record[number: .answered].map({ UInt64(bitPattern: $0) }) else { return nil }
        switch record[bytes: .value] {
        case [1]:
            guard let words = record[words: .partition], words.count == 2 else { return nil }
            return (.signedIn(partition: PartitionTag(first: words[0], second: words[1])), sequence)
        case [2]: return (.declined, sequence)
        case [3]: return (.cancelled, sequence)
        default: return nil
        }
    }

    /// The last sign-ins, oldest first, and the last answer, so that a waiting caller misses none of them, even if it
    /// did not look in between.
    package var answers: [(value: Answer, sequence: UInt64)] {
        let words = record[words: .earlierSignIns] ?? []
        let earlier = stride(from: 0, to: words.count - 2, by: 3).map { index in
            let partition = PartitionTag(first: words[index + 1], second: words[index + 2])
            return (value: Answer.signedIn(partition: partition), sequence: words[index])
        }
        return earlier + [answer].compactMap(\.self)
    }

    /// How many sign-ins before the last answer are retained.
    private static let earlierLimit = 8

    /// The note after an answer that is written in the transaction `sequence`. From then on no process is asking.
    package func answered(_ answer: Answer, in sequence: UInt64) -> InteractionNote {
        var note = self
        if let last = self.answer, case .signedIn(let partition) = last.value {
            let words = (record[words: .earlierSignIns] ?? []) + [last.sequence, partition.first, partition.second]
            note.record[words: .earlierSignIns] = words.suffix(3 * Self.earlierLimit)
        }
        note.record[number: .process] = nil
        note.record[number: .answered] = Int64(bitPattern: sequence)
        note.record[words: .partition] = nil
        switch answer {
        case .signedIn(let partition):
            note.record[bytes: .value] = [1]
            note.record[words: .partition] = [partition.first, partition.second]
        case .declined: note.record[bytes: .value] = [2]
        case .cancelled: note.record[bytes: .value] = [3]
        }
        return note
    }

    /// The maximum number per group; beyond it the oldest note is removed.
    package static let limit = 64
}

/// The subject of a question that only one caller in a group may ask the user at a time.
package struct InteractionSubject: Hashable, Sendable {
    /// The clients that the question concerns.
    package enum Asker: Hashable, Sendable {
        /// A client, folded.
        case client(String)
        /// All clients of a family, whose refresh tokens they share.
        case family(String)
    }

    package let asker: Asker
    /// The URL of the authority.
    package let authority: String

    package init(_ asker: Asker, authority: String) {
        self.asker = asker
        self.authority = authority
    }

    /// Different for all subjects: a byte for the kind of asker, the asker, a zero byte, the authority.
    package var bytes: [UInt8] {
        switch asker {
        case .client(let id): [1] + Array(id.utf8) + [0] + Array(authority.utf8)
        case .family(let id): [2] + Array(id.utf8) + [0] + Array(authority.utf8)
        }
    }
}
