// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import UnifiedSchema

/// The names under which MSAL libraries store an entry: in their cache documents, and in the keychain of Apple's
/// systems.
///
/// Libraries use different keys for the same entry. A library that reads a document compares fields, not keys.
public struct EntryKeys: Hashable, Sendable {
    /// The key that the entry had in the document it was read from, or that this package gave it; nil if it has none.
    public let stored: String?
    /// The key that each library gives the entry, in the order of ``MSALLibrary``; empty if no library derives its key
    /// from its fields.
    public let documentKeys: [DocumentKey]
    /// The item in an Apple keychain, as addressed by MSAL for Objective-C, or by ADAL if it stored the entry; nil if
    /// there is none.
    public let keychainItem: KeychainItem?
    /// The keychain item as addressed by MSAL.NET; nil if there is none.
    public let dotNetKeychainItem: KeychainItem?
}

/// A key of an entry in a cache document.
public struct DocumentKey: Hashable, Sendable {
    /// The library that uses this key.
    public let library: MSALLibrary
    /// The key.
    public let text: String
}

/// A library that writes the unified cache.
@nonexhaustive
public enum MSALLibrary: String, Hashable, Sendable, CaseIterable {
    /// MSAL for iOS and macOS. For plain tokens its keys are also those of this package.
    case objectiveC = "objective_c"
    /// MSAL.NET.
    case dotNet = "dot_net"
    /// MSAL for Java.
    case java
    /// MSAL for Python.
    case python
    /// MSAL for Go.
    case go
    /// MSAL for Node before version 5.
    case javaScript = "java_script"
    /// MSAL for Android.
    case android
    /// MSAL for Node from version 5 on.
    case node5 = "node_5"
}

/// The attributes by which an entry is found in an Apple keychain.
public struct KeychainItem: Hashable, Sendable {
    /// `kSecAttrAccount`.
    public let account: String
    /// `kSecAttrService`; nil if the item has none.
    public let service: String?
    /// `kSecAttrGeneric`, as text; nil if the item has none.
    public let generic: String?
    /// `kSecAttrType`; nil if the item has none.
    public let type: Int?
}

extension EntryKeys {
    init(_ facts: EntryFacts) {
        let parts = KeyParts(facts)
        stored = facts.key?.string
        documentKeys = MSALLibrary.allCases.compactMap { library in
            parts.documentKey(library.keyFormat).map { DocumentKey(library: library, text: $0.string) }
        }
        keychainItem = (parts.keychainAddress() ?? Self.legacyAddress(facts)).map(KeychainItem.init)
        dotNetKeychainItem = parts.keychainAddress(dotNet: true).map(KeychainItem.init)
    }

    private static func legacyAddress(_ facts: EntryFacts) -> KeychainAddress? {
        guard let item = LegacyTokenView(facts), let authority = item.authority, let client = item.clientID,
            let user = item.userID
        else { return nil }
        return LegacyKeychainAddress(
            authority: authority,
            resource: item.resource,
            clientID: client,
            userID: user
        ).address()
    }
}

extension MSALLibrary {
    fileprivate var keyFormat: KeyFormat {
        switch self {
        case .objectiveC: .objectiveC
        case .dotNet: .dotNet
        case .java: .java
        case .python: .python
        case .go: .go
        case .javaScript: .javaScript
        case .android: .android
        case .node5: .node5
        }
    }
}

extension KeychainItem {
    fileprivate init(_ address: KeychainAddress) {
        self.init(
            account: address.account.string,
            service: address.service?.string,
            generic: address.generic?.string,
            type: address.type
        )
    }
}

extension EntryKeys: CustomStringConvertible, CustomReflectable {
    /// The number of keys. The keys themselves would name accounts.
    public var description: String { "EntryKeys(\(documentKeys.count))" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension DocumentKey: CustomStringConvertible, CustomReflectable {
    /// The library, without the key.
    public var description: String { "DocumentKey(\(library.rawValue))" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension KeychainItem: CustomStringConvertible, CustomReflectable {
    /// The type's name. The attributes would name accounts.
    public var description: String { "KeychainItem" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
