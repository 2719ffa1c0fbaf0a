// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import TokenCaching
internal import UnifiedSchema

/// The metadata of authorities. Concurrent callers share one request for it, and its result is kept for a day, unless an
/// endpoint that it names turns out not to be there.
final class Discovery: Sendable {
    /// What is known about an authority.
    struct Finding: Sendable {
        var metadata: ProviderMetadata
        /// What the metadata was read from.
        let json: JSONValue
        /// Other hosts of the same cloud, from instance discovery.
        let aliases: [String]
        /// Whether the server was asked for its OAuth metadata too.
        var isComplete = false
    }

    private typealias Request = Task<Result<Finding, AcquisitionError>, Never>

    private struct Entry {
        var task: Request
        /// When the entry expires; nil while the request is in progress.
        var until: Timestamp?
    }

    private let configuration: ClientConfiguration
    private let services: Services
    private let cache: TokenCache?
    private let entries = Mutex<[Authority: Entry]>([:])

    /// How long metadata is kept.
    private static let lifetime = Duration.seconds(24 * 60 * 60)
    /// The maximum number of authorities kept.
    static let maximumCount = 64
    static let maximumByteCount = 1 << 18

    /// - Parameters:
    ///   - configuration: names the hosts that need no confirmation.
    ///   - services: the transport and the clock.
    ///   - cache: learns which hosts belong to a cloud; nil for none.
    init(_ configuration: ClientConfiguration, _ services: Services, cache: TokenCache?) {
        self.configuration = configuration
        self.services = services
        self.cache = cache
    }

    /// Returns the metadata of an authority. Failures are not kept.
    ///
    /// No server is asked whose endpoints the application names.
    /// An issuer other than Microsoft's is also asked for its OAuth metadata (RFC 8414), if that of OpenID Connect is
    /// missing, or does not name an endpoint that the caller needs: then both hold together.
    ///
    /// - Parameters:
    ///   - authority: the authority.
    ///   - endpoint: an endpoint that the caller needs; nil for none besides the token endpoint.
    ///   - timeout: how long this caller waits. The request itself also serves other callers, and has its own timeout.
    /// - Returns: the metadata, and the aliases of its host.
    /// - Throws: `timeout`, `cancelled`, and the errors of the request.
    func finding(
        for authority: Authority,
        naming endpoint: OptionalEndpoint? = nil,
        timeout: Duration
    ) async throws(AcquisitionError) -> Finding {
        if let named = authority.namedMetadata {
            let metadata = try ProviderMetadata(named, of: authority, aliases: [])
            return Finding(metadata: metadata, json: named, aliases: [], isComplete: true)
        }
        let start = ContinuousClock.now
        let request = request(for: authority)
        let found = try await finding(of: request, timeout: timeout)
        guard let endpoint, found.metadata.lacks(endpoint), !found.isComplete, let url = authority.oauthMetadataURL
        else { return found }
        let completion = Request { await self.completed(found, of: authority, at: url, in: request) }
        return try await finding(of: completion, timeout: timeout - start.duration(to: .now))
    }

    /// Forgets the metadata of an authority, because nothing is at an endpoint that it names.
    func forget(_ authority: Authority) {
        // A request in progress is newer than the metadata in question.
        entries.withLock { if $0[authority]?.until != nil { $0[authority] = nil } }
    }

    private func finding(of request: Request, timeout: Duration) async throws(AcquisitionError) -> Finding {
        guard let result = await request.value(within: timeout) else {
            throw AcquisitionError(Task.isCancelled ? .cancelled : .timeout, detail: "metadata")
        }
        return try result.get()
    }

    /// The request for an authority's metadata: one that was made within the last day, or is in progress, or a new one.
    private func request(for authority: Authority) -> Request {
        let now = services.clock.now()
        return entries.withLock { entries in
            // If the clock was set back, metadata must not be kept any longer.
            if let entry = entries[authority],
                entry.until.map({ now < $0 && $0 <= now.advanced(by: Self.lifetime) }) ?? true
            {
                return entry.task
            }
            if entries.count >= Self.maximumCount { entries = entries.filter { $0.value.until == nil } }
            let task = Task { await self.request(authority) }
            entries[authority] = Entry(task: task, until: nil)
            return task
        }
    }

    private func request(_ authority: Authority) async -> Result<Finding, AcquisitionError> {
        let result: Result<Finding, AcquisitionError>
        do throws(AcquisitionError) {
            let aliases = try await confirmedAliases(authority)
            result = .success(try await finding(for: authority, aliases))
        } catch {
            result = .failure(error)
        }
        let until = services.clock.now().advanced(by: Self.lifetime)
        entries.withLock { entries in
            if case .success = result { entries[authority]?.until = until } else { entries[authority] = nil }
        }
        return result
    }

    // MARK: - Requests

    /// The metadata of OpenID Connect, and that of OAuth if there is none, or it names no token endpoint.
    private func finding(for authority: Authority, _ aliases: [String]) async throws(AcquisitionError) -> Finding {
        let json: JSONValue
        do throws(AcquisitionError) {
            json = try await document(authority.metadataURL, "metadata")
        } catch {
            guard error.saysThatNothingIsThere, let url = authority.oauthMetadataURL,
                let other = try await documentIfAny(url)
            else { throw error }
            let metadata = try ProviderMetadata(other, of: authority, aliases: aliases)
            return Finding(metadata: metadata, json: other, aliases: aliases, isComplete: true)
        }
        let lacksTokenEndpoint = json["token_endpoint"]?.text?.isBlank ?? (json["token_endpoint"] == nil)
        let metadata: ProviderMetadata
        if lacksTokenEndpoint, let url = authority.oauthMetadataURL, let other = try await documentIfAny(url) {
            metadata = try Self.joined(json, other, of: authority)
        } else {
            metadata = try ProviderMetadata(json, of: authority, aliases: aliases)
        }
        return Finding(metadata: metadata, json: json, aliases: aliases, isComplete: lacksTokenEndpoint)
    }

    /// What both documents of an issuer name; the first holds where both do.
    ///
    /// - Throws: the errors of ``ProviderMetadata``; `responseRejected` for different token endpoints.
    private static func joined(
        _ json: JSONValue,
        _ other: JSONValue,
        of authority: Authority
    ) throws(AcquisitionError) -> ProviderMetadata {
        let named = json.members.filter { $0.value.text?.isBlank != true }
        let all = JSONValue.object(named + other.members)
        // A document without a token endpoint may name others.
        let besides = JSONValue.object(other.members + named.filter { $0.name != "issuer" })
        let added = try ProviderMetadata(besides, of: authority, aliases: [])
        let joined = try ProviderMetadata(all, of: authority, aliases: [])
        guard joined.tokenEndpoint == added.tokenEndpoint else {
            throw AcquisitionError(
                .responseRejected,
                detail: "metadata: the documents of OpenID Connect and of OAuth name different token endpoints"
            )
        }
        return joined
    }

    /// A finding with the endpoints that only the OAuth metadata names, for later callers of the same request too.
    private func completed(
        _ found: Finding,
        of authority: Authority,
        at url: String,
        in request: Request
    ) async -> Result<Finding, AcquisitionError> {
        var found = found
        found.isComplete = true
        do throws(AcquisitionError) {
            if let other = try await documentIfAny(url) {
                found.metadata = try Self.joined(found.json, other, of: authority)
            }
        } catch {
            // The endpoint may well exist, so the caller learns why it is not known.
            return .failure(error)
        }
        entries.withLock { [found] entries in
            if entries[authority]?.task == request { entries[authority]?.task = Task { .success(found) } }
        }
        return .success(found)
    }

    /// Requests the OAuth metadata; nil if there is none.
    private func documentIfAny(_ url: String) async throws(AcquisitionError) -> JSONValue? {
        do throws(AcquisitionError) {
            return try await document(url, "metadata")
        } catch {
            guard error.saysThatNothingIsThere else { throw error }
            return nil
        }
    }

    /// Requests a document.
    func document(_ url: String, _ name: String) async throws(AcquisitionError) -> JSONValue {
        let request = TransportRequest(
            method: .get,
            url: url,
            headers: [.init("Accept", "application/json")],
            timeout: RequestDeadline.longestRequest,
            maximumResponseByteCount: Self.maximumByteCount
        )
        let response = try await services.send(request)
        return try JSONResponse.object(response, of: name, at: services.clock.now())
    }

    // MARK: - Instance discovery

    /// Returns the other hosts of an authority's cloud. Microsoft's global service has to confirm a host that is not
    /// built in, unless the application trusts it.
    private func confirmedAliases(_ authority: Authority) async throws(AcquisitionError) -> [String] {
        guard needsConfirmation(authority) else { return [] }
        let host = authority.environment
        var query = FormBody()
        query.add("api-version", "1.1")
        query.add("authorization_endpoint", "\(authority.url)/oauth2/v2.0/authorize")
        let url = "https://\(NationalCloud.global.host)/common/discovery/instance?\(query.query)"
        let json: JSONValue
        do throws(AcquisitionError) {
            json = try await document(url, "instance discovery")
        } catch {
            guard error.errorResponse?.error == "invalid_instance" else { throw error }
            throw AcquisitionError(.authorityRejected, detail: "the host is not one of Microsoft's")
        }
        let clouds = (json["metadata"]?.elements ?? []).map { cloud in
            (cloud["aliases"]?.elements ?? []).compactMap { $0.text?.string.lowercased() }
        }
        guard let aliases = clouds.first(where: { $0.contains(host) }) else {
            throw AcquisitionError(.authorityRejected, detail: "the host is not one of Microsoft's")
        }
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        // This metadata decides to which hosts every process of the group sends refresh tokens.
        if services.transport.usesSystemRoots, let clouds = try? CloudMetadata(discoveryJSON: bytes) {
            try? await cache?.learn(clouds)
        }
        return aliases
    }

    /// Whether Microsoft's global service has to confirm the host.
    private func needsConfirmation(_ authority: Authority) -> Bool {
        let host = authority.environment
        return authority.kind.isListedByInstanceDiscovery && CloudTable.builtIn.cloud(of: UTF8Text(host)) == nil
            && !configuration.knownAuthorities.contains { $0.environment == host }
    }
}

extension AcquisitionError {
    /// Whether a server has no document where it was asked for: it answers with any status but those that promise better
    /// times, or with a page.
    var saysThatNothingIsThere: Bool {
        code == .responseRejected || errorResponse?.status == 500 || errorResponse?.status == 501
    }
}
