// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// The header and the claims of an id token, decoded.
struct IDTokenForm: ~Copyable {
    let header: SecretBytes
    let head: JSONObject
    let payload: SecretBytes
    let claims: JSONObject

    /// The maximum length of a subject (OpenID Connect Core, section 2).
    private static let longestSubject = 255

    /// Decodes a token: three parts in base64url, separated by dots.
    ///
    /// - Throws: `idTokenRejected`.
    init(_ token: RawSpan) throws(AcquisitionError) {
        let dot = UInt8(ascii: ".")
        guard let first = token.firstOffset(of: dot, from: 0), let second = token.firstOffset(of: dot, from: first + 1),
            token.firstOffset(of: dot, from: second + 1) == nil,
            let header = Self.decoded(token.extracting(0..<first)),
            let payload = Self.decoded(token.extracting(first + 1..<second)),
            let head = Self.object(in: header), let claims = Self.object(in: payload)
        else { throw Self.rejected("it is malformed") }
        self.header = header
        self.head = head
        self.payload = payload
        self.claims = claims
    }

    /// A claim that is text; nil if there is none.
    func text(_ name: StaticString) -> String? { claims.text(name, in: payload.bytes)?.string }

    var issuer: String {
        get throws(AcquisitionError) {
            guard let issuer = text("iss"), !issuer.isEmpty else { throw Self.rejected("it names no issuer") }
            return issuer
        }
    }

    var subject: String {
        get throws(AcquisitionError) {
            guard let subject = text("sub"), !subject.isEmpty else { throw Self.rejected("it has no subject") }
            return subject
        }
    }

    /// A claim that is a time; nil if there is none.
    func seconds(_ name: StaticString) -> Int64? { claims.seconds(name, in: payload.bytes) }

    /// Checks what every id token of a token endpoint has (OpenID Connect Core, section 2), whomever it is for.
    ///
    /// - Throws: `idTokenRejected`.
    static func check(_ value: JSONObject.Value, in json: RawSpan) throws(AcquisitionError) {
        let text = try secret(value, in: json)
        let form = try IDTokenForm(text.bytes)
        // Only a client that registered for unsigned tokens gets them.
        guard let algorithm = form.head.text("alg", in: form.header.bytes)?.string, algorithm.lowercased() != "none"
        else {
            throw rejected("it is not signed")
        }
        guard form.seconds("iat") != nil else { throw rejected("it does not say when it was issued") }
        _ = try form.issuer
        let subject = try form.subject
        // Entries are compared without outer white space, but subjects byte for byte.
        let isPlain =
            subject.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && UTF8Text(subject).trimmed().string == subject
        guard subject.utf8.count <= longestSubject, isPlain else { throw rejected("its subject is malformed") }
    }

    static func rejected(_ reason: String) -> AcquisitionError {
        AcquisitionError(.idTokenRejected, detail: "id token: \(reason)")
    }

    /// A string of a JSON object, in secret memory.
    static func secret(_ value: JSONObject.Value, in json: RawSpan) throws(AcquisitionError) -> SecretBytes {
        do {
            if value.form == .plainString { return try SecretBytes(copying: json.extracting(value.content)) }
            var isText = true
            let bytes = try SecretBytes(byteCount: value.content.count) { output in
                do throws(SchemaError) {
                    try JSONObject.unescape(value, in: json, into: &output)
                } catch {
                    isText = false
                }
            }
            guard isText else { throw rejected("it is malformed") }
            return bytes
        } catch let error as SealingError {
            let code: TokenCacheError.Code = error.code == .forkedProcess ? .forkedProcess : .outOfMemory
            throw AcquisitionError(TokenCacheError(code, underlying: error))
        } catch {
            throw rejected("it is malformed")
        }
    }

    private static func object(in json: borrowing SecretBytes) -> JSONObject? { try? JSONObject(json.bytes) }

    private static func decoded(_ text: RawSpan) -> SecretBytes? {
        guard let count = Base64URL.decodedByteCount(text) else { return nil }
        return (try? SecretBytes.decoded(byteCount: count) { Base64URL.decode(text, into: &$0) }) ?? nil
    }
}
