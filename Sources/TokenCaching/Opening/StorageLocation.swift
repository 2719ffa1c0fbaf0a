// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory

/// Where a group keeps its records, and why.
public struct StorageLocation: Hashable, Sendable {
    /// The kind of store that keeps the records.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// The encrypted file.
        case file
        /// The user's keyring.
        case keyring
        /// Memory of this process.
        case memory
        /// A kind that this version does not know.
        case unknown
    }

    /// The kind of store.
    public let kind: Kind
    /// The folder of the group; nil for a group in memory.
    public let folder: String?
    /// The keyring collection named for the group; nil for the default one, and if the group stores nothing in a
    /// keyring.
    public let collection: String?
    /// The reason for this kind of store, as recorded when the group was created: an English phrase to display. If the
    /// record is not authenticated with the keys of the group, the phrase says so.
    public let reason: String
}

extension StorageLocation {
    package static let memory = StorageLocation(
        kind: .memory,
        folder: nil,
        collection: nil,
        reason: "memory was requested"
    )
}

extension StorageLocation.Kind {
    package init(_ kind: StorageKind) {
        switch KnownStorage(kind) {
        case .file: self = .file
        case .keyring: self = .keyring
        case nil: self = .unknown
        }
    }

    /// What the store is called in displayed sentences.
    package var phrase: String {
        switch self {
        case .file: "the encrypted file"
        case .keyring: "the keyring"
        case .memory: "memory"
        case .unknown: "a kind of store that this version does not know"
        }
    }

    /// What the place of the records is called in displayed sentences.
    package var place: String {
        switch self {
        case .file, .unknown: "the folder"
        case .keyring: "the keyring"
        case .memory: "memory"
        }
    }
}
