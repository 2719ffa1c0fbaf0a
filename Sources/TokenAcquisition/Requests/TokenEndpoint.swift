// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import TokenCaching
internal import UnifiedSchema

/// Sends the requests of one call to the endpoints of an authority.
struct TokenEndpoint: Sendable {
    let configuration: ClientConfiguration
    let services: Services
    let discovery: Discovery
    let authority: Authority
    let metadata: ProviderMetadata
    /// Other hosts of the same cloud, from instance discovery.
    let aliases: [String]
    let correlationID: CorrelationID
    var deadline: RequestDeadline

    /// Creates a form with the fields of every request. Those that authenticate the client are added when it is sent.
    ///
    /// - Parameters:
    ///   - scopes: the requested scopes, all of them; nil for a request without any.
    ///   - claims: the claims that the token must have.
    ///   - extra: additional fields of the request, which cannot replace fields of the protocol.
    ///   - isOfUser: whether the token is to be a user's, and not the application's own.
    ///   - configured: additional fields of the configuration, which cannot replace them either.
    ///   - fields: adds the fields of the grant.
    /// - Returns: the form.
    /// - Throws: the errors of `fields`.
    func form<Failure: Error>(
        scopes: [String]? = nil,
        claims: ClaimsRequest? = nil,
        extra: [String: String] = [:],
        isOfUser: Bool = true,
        configured: [String: String]? = nil,
        _ fields: (inout FormBody) throws(Failure) -> Void
    ) throws(Failure) -> FormBody {
        var form = FormBody()
        form.add("client_id", configuration.clientID)
        try fields(&form)
        form.add("scope", scopes.flatMap { $0.isEmpty ? nil : $0.joined(separator: " ") })
        form.add("claims", ClaimsRequest.merged(claims, capabilities: configuration.clientCapabilities))
        if authority.kind.isMicrosoft, isOfUser { form.add("client_info", "1") }
        let configured = configured ?? configuration.extraParameters
        let fields = extra.merging(configured, uniquingKeysWith: { own, _ in own })
        for (name, value) in fields.sorted(by: { $0.key < $1.key })
        where configuration.credential == nil || !Self.credentialNames.contains(name) {
            form.add(name, value)
        }
        return form
    }

    /// Posts a form, and wipes it. A client that has a credential is authenticated.
    ///
    /// If there is no endpoint at the URL any more, the metadata is forgotten, so that the next request goes where it is.
    ///
    /// - Parameters:
    ///   - form: the body.
    ///   - url: an endpoint of the metadata.
    ///   - account: the account that a token is requested for, if it is known.
    /// - Returns: the response, which is not a redirect.
    /// - Throws: `networkFailed`, `cancelled`, `timeout`; `responseRejected` for a redirect; the errors of
    ///   ``authenticate(_:to:)``.
    func post(
        _ form: consuming FormBody,
        to url: String,
        account: Account.ID? = nil
    ) async throws(AcquisitionError) -> TransportResponse {
        var form = form
        defer { form.wipe() }
        let authorization = try await authenticate(&form, to: url)
        let headers = headers(for: account) + [authorization].compactMap(\.self)
        let timeout = try deadline.requestTimeout()
        // The request ends with the call, so that the bytes are not shared when they are wiped, unless the transport
        // keeps them.
        let response = try await services.send(
            TransportRequest(method: .post, url: url, headers: headers, body: form.bytes, timeout: timeout),
            correlationID
        )
        // An error of OAuth comes from an endpoint that is there.
        if [404, 405, 410].contains(response.status), !Self.namesError(response) { discovery.forget(authority) }
        if (300...399).contains(response.status) {
            throw AcquisitionError(.responseRejected, detail: "redirects are not followed")
        }
        if authority.kind.mayRefuseWithSuccess, response.status == 200, Self.namesError(response) {
            return TransportResponse(status: 400, headers: response.headers, body: response.body)
        }
        return response
    }

    private static func namesError(_ response: TransportResponse) -> Bool {
        let body = response.body.rawSpan
        return (try? JSONObject(body))?.value("error", in: body) != nil
    }

    /// The error for a response without what was requested.
    func failure(_ response: TransportResponse) -> AcquisitionError {
        AcquisitionError(response.errorResponse(at: services.clock.now()))
    }

    private func headers(for account: Account.ID?) -> [HTTPHeaderField] {
        var headers: [HTTPHeaderField] = [
            .init("Accept", "application/json"),
            // Otherwise a server may compress the response (RFC 9110, section 12.5.3), which then is no JSON.
            .init("Accept-Encoding", "identity"),
            .init("Content-Type", "application/x-www-form-urlencoded"),
        ]
        guard authority.kind.isMicrosoft else { return headers }
        headers += [
            .init("client-request-id", correlationID.description),
            .init("return-client-request-id", "true"),
            .init("x-client-SKU", "swift-token-cache"),
            .init("x-client-Ver", TokenCache.packageVersion),
            .init("x-client-OS", "Linux"),
        ]
        if let name = configuration.applicationName { headers.append(.init("x-app-name", Self.fieldText(name))) }
        if let version = configuration.applicationVersion {
            headers.append(.init("x-app-ver", Self.fieldText(version)))
        }
        // Routes the request to the location of the account's data.
        if let parts = account?.text.split(separator: "."), parts.count == 2 {
            headers.append(.init("X-AnchorMailbox", Self.fieldText("Oid:\(parts[0])@\(parts[1])")))
        }
        return headers
    }

    /// The text without characters that a header field's value must not contain: a line break would begin another
    /// field.
    private static func fieldText(_ text: String) -> String {
        String(decoding: text.utf8.filter { (0x20...0x7E).contains($0) }.prefix(256), as: UTF8.self)
    }
}

/// The deadline of a call.
struct RequestDeadline: Sendable {
    private let instant: ContinuousClock.Instant
    /// The maximum duration of one request.
    static let longestRequest = Duration.seconds(30)

    /// The clock cannot add longer durations, such as the maximum duration.
    private static let longest = Duration.seconds(1 << 32)

    init(after timeout: Duration) {
        instant = .now + min(timeout, Self.longest)
    }

    /// The remaining time; zero after the deadline.
    var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: instant)) }

    /// Returns the remaining time.
    ///
    /// - Throws: `timeout` after the deadline.
    func timeLeft() throws(AcquisitionError) -> Duration {
        let remaining = remaining
        guard remaining > .zero else { throw AcquisitionError(.timeout) }
        return remaining
    }

    /// Returns the timeout of the next request.
    ///
    /// - Throws: `timeout` after the deadline.
    func requestTimeout() throws(AcquisitionError) -> Duration { min(try timeLeft(), Self.longestRequest) }
}
