// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenAcquisition

/// The servers of Tests/Providers/hostile_server.py, beside which the tests run.
enum HostileServer: String {
    case plain, tls, refused, expired, foreign, outdated, mute, proxy, socks
    case otherName = "other_name"
    case guardedProxy = "guarded_proxy"
    case badGateway = "bad_gateway"
    case garbledProxy = "garbled_proxy"

    var port: String { Self.variable(rawValue.uppercased()) }

    /// The address of a path: plain HTTP for the server without TLS.
    func url(_ path: String, host: String = "localhost") -> String {
        "\(self == .plain ? "http" : "https")://\(host):\(port)\(path)"
    }

    /// The file with the authority that signed the certificates, and one without any.
    static var roots: String { variable("ROOTS") }
    static var noRoots: String { variable("NO_ROOTS") }

    /// How often a path was asked for.
    static func count(_ path: String) async throws -> Int {
        let transport = HTTPTransport(environment: [:])
        let response = try await transport.send(TransportRequest(method: .get, url: plain.url("/count" + path)))
        await transport.close()
        return Int(String(decoding: response.body, as: UTF8.self)) ?? -1
    }

    private static func variable(_ name: String) -> String {
        guard let value = ProcessInfo.processInfo.environment["HOSTILE_\(name)"] else {
            fatalError("HOSTILE_\(name) is not set: run scripts/test-sign-in")
        }
        return value
    }
}

extension HTTPTransport {
    /// One that trusts the certificates of the tests.
    static func trusting(_ environment: [String: String] = [:]) -> HTTPTransport {
        HTTPTransport(environment: environment, additionalRootFiles: [HostileServer.roots])
    }

    /// Sends a form with a secret in it.
    func post(
        _ url: String,
        timeout: Duration = .seconds(20),
        limit: Int = 1 << 20
    ) async throws(TransportError) -> TransportResponse {
        try await send(
            TransportRequest(
                method: .post,
                url: url,
                headers: [.init("Content-Type", "application/x-www-form-urlencoded")],
                body: Array("refresh_token=canary".utf8),
                timeout: timeout,
                maximumResponseByteCount: limit
            )
        )
    }

    /// The error that a form leads to; nil where there is a response.
    func failure(of url: String, timeout: Duration = .seconds(20), limit: Int = 1 << 20) async -> TransportError? {
        do throws(TransportError) {
            _ = try await post(url, timeout: timeout, limit: limit)
            return nil
        } catch {
            return error
        }
    }
}

/// What a server received, as it tells itself.
struct Received: Decodable {
    let method: String
    let path: String
    let headers: [[String]]
    let body: String

    init(_ response: TransportResponse) throws {
        self = try JSONDecoder().decode(Received.self, from: Data(response.body))
    }

    /// The values of a header field.
    func values(_ name: String) -> [String] {
        headers.filter { $0[0] == name }.map { $0[1] }
    }
}

/// A tag that no other test has.
func uniqueTag() -> String { UUID().uuidString }

/// A name that no resolver asks others about: a label has at most 63 characters.
let unresolvableName = String(repeating: "a", count: 64) + ".test"
