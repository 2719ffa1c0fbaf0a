// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TokenAcquisition
import TokenCaching

/// A clock that stands still until it is moved.
final class TestClock: Sendable {
    private let seconds = Mutex<Int64>(1_700_000_000)

    var now: Int64 { seconds.withLock { $0 } }

    func advance(by seconds: Int64) {
        self.seconds.withLock { $0 += seconds }
    }

    var wallClock: WallClock { WallClock { Timestamp(secondsSince1970: self.now) } }
}

/// A request as the server sees it.
struct SeenRequest: Sendable {
    let method: String
    let url: String
    let headers: [String: String]
    let form: [String: String]
    let body: String
    let timeout: Duration

    init(_ request: TransportRequest) {
        method = request.method.name
        url = request.url
        timeout = request.timeout
        headers = Dictionary(request.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
        body = String(decoding: request.body, as: UTF8.self)
        form = Dictionary(
            body.split(separator: "&").map { field in
                let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                func decoded(_ text: Substring) -> String {
                    text.replacing("+", with: " ").removingPercentEncoding ?? "not decodable"
                }
                return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
            }
        ) { first, _ in first + " (twice)" }
    }
}

/// Answers requests as a test says, and records them.
final class ScriptedServer: Transport {
    typealias Answer = @Sendable (SeenRequest) async throws(TransportError) -> TransportResponse

    private struct State {
        var metadata: [String: String] = [:]
        var answers: [Answer] = []
        var requests: [SeenRequest] = []
    }

    private let state = Mutex(State())
    let usesSystemRoots: Bool

    init(usesSystemRoots: Bool = true) { self.usesSystemRoots = usesSystemRoots }

    /// Adds metadata at a URL.
    func publish(_ json: String, at url: String) {
        state.withLock { $0.metadata[url] = json }
    }

    /// Adds the answer to the next request that is not for metadata.
    func answer(status: Int = 200, _ json: String, headers: [String: String] = [:]) {
        let fields = headers.map { HTTPHeaderField($0.key, $0.value) }
        let type =
            headers.keys.contains("Content-Type")
            ? [] : [HTTPHeaderField("Content-Type", "application/json")]
        answer { _ throws(TransportError) in
            TransportResponse(status: status, headers: type + fields, body: Array(json.utf8))
        }
    }

    func answer(_ answer: @escaping Answer) {
        state.withLock { $0.answers.append(answer) }
    }

    func answer(failure: TransportError) {
        answer { _ throws(TransportError) in throw failure }
    }

    /// The requests that were not for metadata.
    var posts: [SeenRequest] { state.withLock { $0.requests.filter { $0.method == "POST" } } }
    var gets: [SeenRequest] { state.withLock { $0.requests.filter { $0.method == "GET" } } }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let seen = SeenRequest(request)
        let (metadata, answer) = state.withLock { state in
            state.requests.append(seen)
            if let metadata = state.metadata[seen.url] { return (metadata as String?, nil as Answer?) }
            return (nil, state.answers.isEmpty ? nil : state.answers.removeFirst())
        }
        if let metadata {
            await Task.yield()
            return TransportResponse(
                status: 200,
                headers: [.init("content-type", "application/json; charset=utf-8")],
                body: Array(metadata.utf8)
            )
        }
        guard let answer else { return TransportResponse(status: 404) }
        return try await answer(seen)
    }
}

/// JSON of a flat object.
func json(_ members: [String: Any]) -> String {
    let data = try? JSONSerialization.data(withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data ?? Data(), as: UTF8.self)
}

/// An id token whose signature is worth nothing.
func idToken(_ claims: [String: Any], algorithm: String = "RS256") -> String {
    [json(["alg": algorithm, "typ": "JWT"]), json(claims), "signature"].map(base64URL).joined(separator: ".")
}

func base64URL(_ text: String) -> String { base64URL(Data(text.utf8)) }

func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}
