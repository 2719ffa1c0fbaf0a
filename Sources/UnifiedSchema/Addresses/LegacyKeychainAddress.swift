// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// The address of an item of ADAL for ObjC, used only to identify such items.
package struct LegacyKeychainAddress: Hashable, Sendable {
    package let authority: UTF8Text
    /// Nil for a refresh token that is valid for every resource.
    package let resource: UTF8Text?
    package let clientID: UTF8Text
    /// The user's principal name.
    package let userID: UTF8Text
    package let applicationIdentifier: UTF8Text?

    /// Replaces the resource if there is none.
    package static let multiResource = "CC3513A0-0E69-4B4D-97FC-DFB6C91EE132"
    private static let library = "MSOpenTech.ADAL.1"

    package init(
        authority: UTF8Text,
        resource: UTF8Text?,
        clientID: UTF8Text,
        userID: UTF8Text,
        applicationIdentifier: UTF8Text? = nil
    ) {
        self.authority = authority
        self.resource = resource
        self.clientID = clientID
        self.userID = userID
        self.applicationIdentifier = applicationIdentifier
    }

    /// The address on iOS, where the user is encoded, or on macOS, where the user is plain text.
    package func address(encodingUser: Bool = true) -> KeychainAddress {
        let user = userID.normalized()
        let library = LegacyKeychainAddress.library
        let owner = applicationIdentifier.map { library + "-" + Base64URL.encode(Array($0.string.utf8)) } ?? library
        let parts = [
            owner, LegacyKeychainAddress.encode(authority),
            resource.map(LegacyKeychainAddress.encode) ?? LegacyKeychainAddress.multiResource,
            LegacyKeychainAddress.encode(clientID),
        ]
        return KeychainAddress(
            account: encodingUser ? UTF8Text(Base64URL.encode(user.bytes.copied())) : user,
            service: UTF8Text(parts.joined(separator: "|")),
            generic: UTF8Text(library)
        )
    }

    private static func encode(_ text: UTF8Text) -> String {
        Base64URL.encode(text.normalized().bytes.copied())
    }
}
