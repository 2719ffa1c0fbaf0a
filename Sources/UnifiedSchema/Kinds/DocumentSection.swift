// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The known top-level members of a unified document.
///
/// The numbers are stored in encoded facts and never change.
package enum DocumentSection: UInt8, Hashable, Sendable, CaseIterable {
    case accessToken = 1
    case refreshToken = 2
    case idToken = 3
    case account = 4
    case appMetadata = 5
    /// Only in the blob of the macOS login keychain.
    case accessTokenWithAuthScheme = 6
    /// Only in the blob of the macOS login keychain.
    case accountMetadata = 7

    /// The name in the document.
    package var name: UTF8Text {
        switch self {
        case .accessToken: "AccessToken"
        case .refreshToken: "RefreshToken"
        case .idToken: "IdToken"
        case .account: "Account"
        case .appMetadata: "AppMetadata"
        case .accessTokenWithAuthScheme: "AccessToken_With_AuthScheme"
        case .accountMetadata: "AccountMetadataMap"
        }
    }

    /// The section of exactly this name: section names are not folded.
    package init?(name: UTF8Text) {
        self.init(nameBytes: name.bytes)
    }

    init?(nameBytes: RawSpan) {
        for section in DocumentSection.allCases where section.name.bytes.isEqual(to: nameBytes) {
            self = section
            return
        }
        return nil
    }

    /// The section of an entry kind in the files of every SDK, except in the macOS blob.
    package init?(for kind: EntryKind) {
        switch kind {
        case .accessToken, .accessTokenWithAuthScheme: self = .accessToken
        case .refreshToken, .familyRefreshToken, .primaryRefreshToken, .boundRefreshToken: self = .refreshToken
        case .idToken, .v1IDToken: self = .idToken
        case .account: self = .account
        case .appMetadata: self = .appMetadata
        case .accountMetadata: self = .accountMetadata
        case .legacySingleResourceToken, .opaque: return nil
        }
    }

    /// Whether every SDK knows the section. A value other than an object is then an error.
    package var isCommon: Bool {
        rawValue <= DocumentSection.appMetadata.rawValue
    }
}
