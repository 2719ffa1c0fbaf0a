// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// What a protected resource says of itself (RFC 9728).
struct ResourceMetadata {
    /// Those that are acceptable, each once.
    private let authorities: [Authority]
    let scopes: [String]

    /// The maximum number of authorities that are read, and the maximum size of all scopes.
    private static let (maximumCount, maximumScopeByteCount) = (16, 3 << 10)

    /// Requests the metadata: from where the resource's challenge says, or else from the well-known place (section 3.1), or
    /// that of the whole host, as clients of the Model Context Protocol do.
    ///
    /// - Throws: `requestRejected` for an address that is none; `authorityRejected` if the challenge leads to another server,
    ///   or the metadata name only authorities that are not acceptable; `responseRejected` for metadata of another resource,
    ///   and for scopes that are none; the errors of ``Discovery/document(_:_:)``.
    init(
        _ request: ProtectedResourceRequest,
        _ services: Services,
        _ discovery: Discovery
    ) async throws(AcquisitionError) {
        let address: WebAddress
        do throws(WebAddress.Flaw) {
            address = try WebAddress(request.address)
        } catch {
            throw AcquisitionError(.requestRejected, detail: "address: \(error.reason)")
        }
        var headers = [request.wwwAuthenticate].compactMap(\.self)
        if headers.isEmpty { headers = try await Self.challenges(of: address, services) }
        let challenges = headers.flatMap(AuthenticationChallenge.all)
        let json: JSONValue
        if let named = challenges.lazy.compactMap({ $0.parameters["resource_metadata"] }).first {
            json = try await Self.document(try Self.place(named, of: address), discovery)
        } else {
            do throws(AcquisitionError) {
                json = try await Self.document(address.metadataURL(isOfHost: false), discovery)
            } catch {
                guard error.saysThatNothingIsThere, address.path != "/" || address.query != nil else { throw error }
                json = try await Self.document(address.metadataURL(isOfHost: true), discovery)
            }
        }
        // Otherwise an API could ask for tokens that another one accepts (section 3.3).
        guard let resource = json["resource"]?.text?.string, resource == request.address else {
            let found = AcquisitionError.shown(issuer: json["resource"]?.text?.string ?? "")
            throw AcquisitionError(.responseRejected, detail: "metadata of another resource: \(found)")
        }
        let servers = json["authorization_servers"]?.elements ?? []
        var authorities: [Authority] = []
        for server in servers.prefix(Self.maximumCount) {
            guard let authority = server.text.flatMap({ try? Authority($0.string) }) else { continue }
            // An API elsewhere must not name this machine (section 7.7). What a name resolves to is not known here.
            if authority.address.isThisMachine, !address.isThisMachine { continue }
            if !authorities.contains(where: { $0.url == authority.url }) { authorities.append(authority) }
        }
        guard !authorities.isEmpty || servers.isEmpty else {
            throw AcquisitionError(.authorityRejected, detail: "the resource names none that is acceptable")
        }
        self.authorities = authorities
        // A parameter of another scheme with this name means something else (RFC 9110, section 11.2).
        let ofTokens = challenges.lazy.filter { ["bearer", "dpop"].contains($0.scheme) }
        let asked = ofTokens.compactMap { $0.parameters["scope"] }.first ?? ""
        let listed = json["scopes_supported"]?.elements ?? []
        scopes =
            asked.isEmpty ? listed.compactMap { $0.text?.string } : asked.split(separator: " ").map(String.init)
        guard scopes.allSatisfy(\.isScopeToken), scopes.joined().utf8.count <= Self.maximumScopeByteCount else {
            throw AcquisitionError(.responseRejected, detail: "metadata of the resource: it names scopes that are none")
        }
    }

    /// The authority that the caller wants, or else the only one.
    ///
    /// - Throws: `authorityRejected` if the resource names others, `severalAuthorizationServers`, `configurationRejected` if
    ///   it names none.
    func authority(_ wanted: Authority?) throws(AcquisitionError) -> Authority {
        if let wanted {
            if authorities.isEmpty || authorities.contains(where: { $0.url == wanted.url }) { return wanted }
            throw AcquisitionError(.authorityRejected, detail: "the resource does not name it") {
                $0.authorizationServers = authorities.map(\.url)
            }
        }
        guard let only = authorities.first else {
            throw AcquisitionError(.configurationRejected, detail: "the resource names no authority: name one")
        }
        guard authorities.count == 1 else {
            throw AcquisitionError(.severalAuthorizationServers) { $0.authorizationServers = authorities.map(\.url) }
        }
        return only
    }

    /// The challenges in the response to a request without a token; none if there is no response.
    private static func challenges(
        of address: WebAddress,
        _ services: Services
    ) async throws(AcquisitionError) -> [String] {
        let request = TransportRequest(
            method: .get,
            url: address.text,
            headers: [.init("Accept", "application/json")],
            // An API without authentication may answer with a stream that does not end.
            timeout: .seconds(10),
            maximumResponseByteCount: Discovery.maximumByteCount
        )
        do throws(AcquisitionError) {
            let response = try await services.send(request)
            return response.headers.filter { $0.name.lowercased() == "www-authenticate" }.map(\.value)
        } catch {
            if error.code == .cancelled { throw error }
            return []
        }
    }

    private static func document(_ url: String, _ discovery: Discovery) async throws(AcquisitionError) -> JSONValue {
        try await discovery.document(url, "metadata of the resource")
    }

    /// The URL of the metadata that a challenge names, which has to be on the resource's own server.
    private static func place(_ text: String, of address: WebAddress) throws(AcquisitionError) -> String {
        guard let place = try? WebAddress(text), place.origin == address.origin else {
            throw AcquisitionError(.authorityRejected, detail: "the resource has its metadata on another server")
        }
        return place.text
    }
}

extension WebAddress {
    /// Where a resource without a challenge has its metadata (RFC 9728, section 3.1).
    fileprivate func metadataURL(isOfHost: Bool) -> String {
        let place = origin + "/.well-known/oauth-protected-resource"
        return isOfHost ? place : place + (path == "/" ? "" : path) + (query.map { "?" + $0 } ?? "")
    }
}

extension String {
    /// Whether it is a scope (RFC 6749, section 3.3).
    fileprivate var isScopeToken: Bool {
        !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"\\".utf8.contains($0) }
    }
}
