// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import UnifiedSchema

extension TokenErrorResponse {
    /// The maximum size of a body that is parsed.
    private static let largestBody = 1 << 16
    /// The maximum length of a code or an id. Servers send codes and ids of a few dozen bytes.
    private static let longestCode = 256
    /// The maximum length of claims.
    private static let longestClaims = 1 << 14
    private static let largestCodeCount = 16

    /// Parses a response without tokens. A member that is not a string of the right form counts as missing.
    ///
    /// - Parameters:
    ///   - status: the status code.
    ///   - body: the body as received; nothing is taken from an HTML page.
    ///   - retryAfter: the header `Retry-After`, if there is one: seconds, or a date.
    ///   - date: the time to compare a date in `retryAfter` with; by default the system's current time.
    public init(status: Int, body: [UInt8], retryAfter: String? = nil, date: Timestamp = WallClock.system.now()) {
        self.init(error: "")
        self.status = status
        self.retryAfter = retryAfter.flatMap { HTTPDelay.seconds($0, now: date.secondsSince1970) }.map { .seconds($0) }
        guard body.count <= Self.largestBody, let object = try? JSONObject(body.rawSpan) else { return }
        func text(_ name: StaticString, upTo limit: Int, where isWanted: (String) -> Bool) -> String? {
            guard let text = object.text(name, in: body.rawSpan)?.trimmed(), !text.isEmpty, text.byteCount <= limit,
                isWanted(text.string)
            else { return nil }
            return text.string
        }
        func code(_ name: StaticString) -> String? { text(name, upTo: Self.longestCode, where: Self.isCode) }
        error = text("error", upTo: Self.longestCode, where: Self.isPrintable) ?? ""
        suberror = text("suberror", upTo: Self.longestCode, where: Self.isPrintable)
        correlationID = code("correlation_id")
        traceID = code("trace_id")
        claims = text("claims", upTo: Self.longestClaims) { _ in true }
        guard let codes = object.value("error_codes", in: body.rawSpan),
            let array = try? JSONValue(parsing: body.rawSpan.extracting(codes.range))
        else { return }
        for element in array.elements.prefix(Self.largestCodeCount) {
            if case .number(let digits) = element, let code = Int64(digits.string) { errorCodes.append(code) }
        }
    }

    /// Whether a string consists of the characters that the standard allows in `error`.
    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }

    /// Whether a string consists of the characters in known errors and ids.
    static func isCode(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
    }
}
