// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import TokenCaching
internal import UnifiedSchema

/// A response that should be a JSON object.
enum JSONResponse {
    /// Returns the object in a successful response without secrets that matter: nothing is wiped.
    ///
    /// - Throws: `throttled` for 429, `serverUnavailable` for 408 and 5xx; `responseRejected` for any other status
    ///   except `statuses`, including redirects, for another content type, and for a body that is not a JSON object.
    static func object(
        _ response: TransportResponse,
        of name: String,
        at now: Timestamp,
        statuses: [Int] = [200]
    ) throws(AcquisitionError) -> JSONValue {
        guard statuses.contains(response.status) else { throw failure(response, of: name, at: now) }
        guard hasJSON(response) else {
            throw AcquisitionError(.responseRejected, detail: "\(name): its content is not JSON")
        }
        guard let value = try? JSONValue(parsing: response.body.rawSpan), case .object = value else {
            throw AcquisitionError(.responseRejected, detail: "\(name): it is not a JSON object")
        }
        return value
    }

    /// Whether a response declares its content as JSON, or declares no content type.
    private static func hasJSON(_ response: TransportResponse) -> Bool {
        guard let header = response.header("Content-Type") else { return true }
        let type = header.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return type == "application/json" || type.hasSuffix("+json")
    }

    private static func failure(
        _ response: TransportResponse,
        of name: String,
        at now: Timestamp
    ) -> AcquisitionError {
        let refusal = response.errorResponse(at: now)
        let code: AcquisitionError.Code =
            switch response.status {
            case 429: .throttled
            case 408, 500...599: .serverUnavailable
            default: .responseRejected
            }
        let detail = (300...399).contains(response.status) ? "\(name): redirects are not followed" : name
        return AcquisitionError(code, detail: detail) { facts in
            facts.errorResponse = refusal
            facts.retryAfter = refusal.retryAfter
        }
    }
}
