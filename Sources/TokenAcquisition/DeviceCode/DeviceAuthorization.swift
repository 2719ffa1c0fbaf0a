// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import TokenCaching
internal import UnifiedSchema

/// The response to a device authorization request (RFC 8628, section 3.2).
struct DeviceAuthorization: Sendable {
    /// The code with which the client requests tokens. Secret.
    let deviceCode: String
    let prompt: DeviceCodePrompt
    let lifetime: Duration
    let interval: Duration

    private static let longestCode = 4096
    private static let longestUserCode = 64
    private static let longestMessage = 1000
    private static let lifetimes: ClosedRange<Int64> = 1...3600
    private static let intervals: ClosedRange<Int64> = 1...60

    init(_ response: TransportResponse, of authority: Authority, now: Timestamp) throws(AcquisitionError) {
        let json = try JSONResponse.object(response, of: "device authorization", at: now)
        func rejected(_ reason: String) -> AcquisitionError {
            AcquisitionError(.responseRejected, detail: "device authorization: \(reason)")
        }
        guard let deviceCode = json["device_code"]?.text?.string, !deviceCode.isEmpty,
            deviceCode.utf8.count <= Self.longestCode
        else { throw rejected("it has no device code") }
        guard let userCode = json["user_code"]?.text?.string, !userCode.isEmpty,
            userCode.utf8.count <= Self.longestUserCode, userCode.unicodeScalars.allSatisfy(TerminalText.isPlain)
        else { throw rejected("its user code cannot be shown") }
        // Google's name for this field is older than the standard.
        guard let text = (json["verification_uri"] ?? json["verification_url"])?.text?.string,
            let address = try? WebAddress(text),
            // A server on another machine has no pages on the user's machine, so its address must be https.
            address.scheme == "https" || authority.address.scheme != "https"
        else { throw rejected("its address cannot be shown") }
        let complete = json["verification_uri_complete"]?.text.flatMap { try? WebAddress($0.string) }
        lifetime = .seconds(Self.clamped(json["expires_in"]?.seconds ?? 900, Self.lifetimes))
        interval = .seconds(Self.clamped(json["interval"]?.seconds ?? 5, Self.intervals))
        self.deviceCode = deviceCode
        let message = TerminalText.cleaned(json["message"]?.text?.string ?? "", limit: Self.longestMessage)
        prompt = DeviceCodePrompt(
            userCode: userCode,
            verificationURI: address.text,
            verificationHost: address.authority,
            verificationURIComplete: complete?.authority == address.authority ? complete?.text : nil,
            expiresOn: now.advanced(by: lifetime),
            message: message.isEmpty ? nil : message
        )
    }

    private static func clamped(_ seconds: Int64, _ range: ClosedRange<Int64>) -> Int64 {
        min(max(seconds, range.lowerBound), range.upperBound)
    }
}

/// Makes a server's text safe to print on a terminal. Control characters could change what the terminal shows;
/// invisible characters, and characters that change the direction of text, could make it read as something else.
enum TerminalText {
    /// Whether a character may be printed.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// The text without such characters, with line breaks and tabs as spaces, of at most `limit` characters.
    static func cleaned(_ text: String, limit: Int) -> String {
        var clean = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit * 4) {
            if scalar == "\n" || scalar == "\r" || scalar == "\t" { clean.append(" ") }
            if isPlain(scalar) { clean.append(scalar) }
        }
        return String(String.UnicodeScalarView(clean.prefix(limit)))
    }
}
