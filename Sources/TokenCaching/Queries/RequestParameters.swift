// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// The rules for the parameters that an application adds to a token request, and that isolate its token.
enum RequestParameters {
    /// The parameters of the protocols, by the documents that define them. A client sets them itself or has a property
    /// for them, and some belong to responses. `resource` and `audience` are missing: they say what a token is for.
    static let reserved: [(source: String, names: [String])] = [
        (
            "RFC 6749",
            [
                "access_token", "client_id", "client_secret", "code", "error", "error_description", "error_uri",
                "expires_in", "grant_type", "password", "redirect_uri", "refresh_token", "response_type", "scope",
                "state", "token_type", "username",
            ]
        ),
        ("RFC 7009", ["token", "token_type_hint"]),
        ("RFC 7521", ["assertion", "client_assertion", "client_assertion_type"]),
        ("RFC 7636", ["code_challenge", "code_challenge_method", "code_verifier"]),
        ("RFC 8628", ["device_code", "user_code"]),
        (
            "RFC 8693",
            ["actor_token", "actor_token_type", "requested_token_type", "subject_token", "subject_token_type"]
        ),
        ("RFC 9101", ["request", "request_uri"]),
        ("RFC 9201", ["req_cnf"]),
        ("RFC 9449", ["dpop_jkt"]),
        (
            "OpenID Connect Core",
            ["claims", "id_token_hint", "login_hint", "max_age", "nonce", "prompt", "registration"]
        ),
        ("OAuth 2.0 Multiple Response Type Encoding Practices", ["id_token", "response_mode"]),
        ("Microsoft identity platform", ["client-request-id", "client_info", "domain_hint", "instance_aware"]),
    ]

    /// - Throws: `invalidRequest` for a parameter that the table contains or that is a secret by its name, whose name the
    ///   protocol does not allow (RFC 6749, section 8.2), without a value, or with control characters; for a resource that
    ///   is not an absolute URI without a fragment (RFC 8707, section 2).
    static func check(_ parameters: [String: String]) throws(StorageError) {
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, name.utf8.allSatisfy(isNameByte) else {
                throw rejected("a parameter's name has letters, digits, hyphens, periods and underscores only")
            }
            let folded = name.lowercased()
            if let source = reserved.first(where: { $0.names.contains(folded) })?.source {
                throw rejected("\(name) is a parameter of the protocol (\(source))")
            }
            guard !isSecret(folded) else {
                throw rejected("\(name) is the name of a secret")
            }
            guard value.contains(where: { !$0.isWhitespace }) else { throw rejected("\(name) has no value") }
            guard value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
                throw rejected("\(name) contains a control character")
            }
            // A server would read another spelling as a parameter of its own.
            guard name == folded || (folded != "resource" && folded != "audience") else {
                throw rejected("\(folded) is written in lower case")
            }
            if name == "resource", !isAbsoluteURI(value) {
                throw rejected("the resource is not an absolute URI without a fragment")
            }
        }
    }

    /// Whether a name in lower case is usual for a secret, however its words are joined.
    private static func isSecret(_ name: String) -> Bool {
        let letters = name.filter { $0 != "-" && $0 != "_" && $0 != "." }
        return secretWords.contains { letters.firstPlace(of: $0) != nil } || letters.hasSuffix("token")
            || secretNames.contains(letters)
    }

    private static let secretWords = [
        "secret", "password", "passwd", "passphrase", "apikey", "privatekey", "credential",
    ]

    private static let secretNames = ["authorization", "bearer", "cookie", "jwt", "otp", "pin", "pwd", "sessionid"]

    private static func rejected(_ problem: String) -> StorageError { StorageError(.invalidRequest, detail: problem) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// Whether a text is an absolute URI (RFC 3986, section 4.3): a scheme, and something after it.
    private static func isAbsoluteURI(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        let scheme = text.utf8[..<colon]
        guard let first = scheme.first, isAlphanumeric(first), !(0x30...0x39).contains(first) else { return false }
        let isScheme = scheme.allSatisfy {
            isAlphanumeric($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
        return isScheme && text.utf8.index(after: colon) < text.utf8.endIndex
    }
}
