// SPDX-License-Identifier: Apache-2.0

/// A sign-in under a short name: options of the command line, and no secret.
public struct Profile: Sendable {
    /// The name.
    public let name: String
    /// The options without their hyphens, in the order of the file.
    public private(set) var options: [(name: String, value: String)] = []

    /// Creates a profile without options.
    public init(_ name: String) {
        self.name = name
    }

    /// The value of an option; nil if the profile does not have it.
    public subscript(option: String) -> String? { options.first { $0.name == option }?.value }

    /// Adds an option, unless there is no value.
    public mutating func add(_ option: String, _ value: String?) {
        if let value { options.append((option, value)) }
    }

    /// The group.
    public var group: String { self["group"] ?? GroupOptions.standardGroup }

    /// Whether a text can be the name of a profile: a lowercase letter, then up to 31 lowercase letters, digits,
    /// underscores and hyphens.
    public static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 32 else { return false }
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
        return isLetter(first)
            && text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F }
    }

    /// Says that an authority does not tell who signed in, so that the name of the account is given at a sign-in.
    static let withoutIDTokens = "without-id-tokens"

    /// The options that a profile may have: none is a secret, only the place of one.
    static let optionNames = [
        "for", "authority", "client", "client-secret-file", "client-assertion-file", "scopes", "added-scopes",
        "resource",
        "audience", "parameter", "account", "login-hint", "tenant", "redirect-uri", "endpoint-host", "token-endpoint",
        "authorization-endpoint", "device-authorization-endpoint", "revocation-endpoint", withoutIDTokens, "group",
        "root",
        "storage", "collection", "key-file", "key-credential", "key-file-mounted",
    ]

    /// The options that are paths.
    static let paths: Set = ["client-assertion-file", "client-secret-file", "key-file", "key-file-mounted", "root"]

    /// The options that may be repeated.
    static let repeatedOptions: Set = ["parameter", "endpoint-host"]
}
