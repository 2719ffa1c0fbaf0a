// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import UnifiedSchema

/// The owner of a response's tokens, and where they are stored.
struct ResponseSubject: Sendable {
    /// Nil for app-only tokens.
    let homeAccountID: UTF8Text?
    /// The host that entries are written under.
    let environment: UTF8Text
    /// Whether the environment belongs to Microsoft, whose refresh tokens are valid for any tenant.
    let isMicrosoft: Bool
    let realm: UTF8Text
    /// The account that a renewal names, in comparable form; nil if it names none.
    let asked: UTF8Text?
    let clientInfo: ClientInfo?
    let claims: IDTokenPayload?

    /// - Parameters:
    ///   - response: the response.
    ///   - request: what was asked for.
    ///   - clouds: the known clouds.
    ///   - savedID: the id under which an account is stored that a request names without an issuer; the second argument is
    ///     the account of the response.
    /// - Throws: `invalidRequest` for an invalid request, and for a renewal if neither the request nor the response
    ///   identifies the account; `invalidResponse` if the response does not identify the account.
    init(
        _ response: borrowing TokenResponse,
        for request: borrowing TokenRequest,
        clouds: CloudTable,
        savedID: (UTF8Text, UTF8Text?) throws(StorageError) -> UTF8Text
    ) throws(StorageError) {
        let host = UTF8Text(request.environment)
        guard !host.isBlank else { throw StorageError(.invalidRequest, detail: "no environment is given") }
        let cloud = clouds.cloud(of: host)
        let environment = cloud?.preferredCacheHost ?? host.normalized()
        let isMicrosoft = clouds.isMicrosoft(environment)
        let clientInfo = try response.clientInfo()
        let claims = try response.idTokenClaims()
        let (account, asked) = try ResponseSubject.account(
            request,
            clientInfo: clientInfo,
            claims: claims,
            isKnownCloud: cloud != nil,
            isMicrosoft: isMicrosoft,
            issuer: isMicrosoft ? nil : claims?.issuer.flatMap { clouds.isMicrosoft(issuer: $0) ? nil : $0 },
            savedID: savedID
        )
        guard
            let realm = ResponseSubject.realm(request, homeAccountID: account, claims: claims, isMicrosoft: isMicrosoft)
        else {
            throw StorageError(.invalidRequest, detail: "no tenant is given")
        }
        homeAccountID = account
        self.asked = asked
        self.environment = environment
        self.isMicrosoft = isMicrosoft
        self.realm = realm
        self.clientInfo = clientInfo
        self.claims = claims
    }

    /// The home account id: from the response, otherwise the requested account, otherwise the subject.
    ///
    /// Outside the known clouds, the subject identifies the account if there is no `client_info`. In a known cloud the
    /// subject differs for each client, and does not identify the home account. If a renewal's response spells the same
    /// account differently, the stored spelling is kept.
    private static func account(
        _ request: borrowing TokenRequest,
        clientInfo: ClientInfo?,
        claims: IDTokenPayload?,
        isKnownCloud: Bool,
        isMicrosoft: Bool,
        issuer: UTF8Text?,
        savedID: (UTF8Text, UTF8Text?) throws(StorageError) -> UTF8Text
    ) throws(StorageError) -> (account: UTF8Text?, asked: UTF8Text?) {
        if request.grant == .application { return (nil, nil) }
        var asked = request.accountID.map { UTF8Text($0.text) }.flatMap { $0.isEmpty ? nil : $0 }
        // Entries are compared without outer white space, but subjects byte for byte.
        if let subject = claims?.subject, subject.trimmed() != subject, issuer != nil, clientInfo == nil, !isKnownCloud
        {
            throw StorageError(
                .invalidResponse,
                detail: "its subject begins or ends with white space",
                advice: "Nothing was saved; the server has to name its users otherwise"
            )
        }
        let subject =
            isKnownCloud
            ? nil
            : claims?.subject.map { subject in
                isMicrosoft ? HomeAccountID.plain(subject) : HomeAccountID.joined(subject, issuer)
            }
        if request.grant == .renewal, var named = asked {
            let isSubject = !isMicrosoft && !HomeAccountID.namesTenant(named)
            let received = clientInfo?.homeAccountID ?? (isSubject ? subject : nil)
            if isSubject {
                named = try savedID(named, received.flatMap { HomeAccountID.areSame($0, named) ? $0 : nil })
            }
            let compared = HomeAccountID.comparable(named)
            guard let received else { return (named, compared) }
            let isOtherSpelling =
                HomeAccountID.comparable(received) != compared && HomeAccountID.areSame(received, named)
            return (isOtherSpelling ? named : received.trimmed(), compared)
        }
        if subject == nil, let named = asked { asked = try savedID(named, nil) }
        if let account = clientInfo?.homeAccountID ?? subject ?? asked ?? claims?.subject.map(HomeAccountID.plain) {
            return (account.trimmed(), asked.map(HomeAccountID.comparable))
        }
        if request.grant == .renewal {
            throw StorageError(.invalidRequest, detail: "a renewal must name the account")
        }
        throw StorageError(
            .invalidResponse,
            detail: "it does not identify the account",
            advice: "Nothing was saved; request the scope openid, or name the account in the request"
        )
    }

    /// The realm: the tenant in the id token, otherwise the requested one. A word such as `common` means the account's
    /// home tenant. Issuers other than Microsoft's are distinguished by their path; one without a path
    /// (`https://accounts.google.com`) has the empty realm.
    ///
    /// - Returns: nil for a Microsoft host without a tenant, because its tokens always belong to one. A renewal is
    ///   never refused for that reason, because its refresh token may be the only one by now.
    private static func realm(
        _ request: borrowing TokenRequest,
        homeAccountID: UTF8Text?,
        claims: IDTokenPayload?,
        isMicrosoft: Bool
    ) -> UTF8Text? {
        if let tenant = claims?.tenantID { return tenant.trimmed() }
        let asked = UTF8Text(request.tenant).trimmed()
        if let word = TenantWord(asked), let homeAccountID, let home = word.realm(homeAccountID: homeAccountID) {
            return home
        }
        if !asked.isEmpty { return asked }
        if !isMicrosoft { return claims?.issuerPath ?? "" }
        return request.grant == .renewal ? claims?.issuerTenant ?? "" : nil
    }

    /// The type of the account, as the SDKs write it.
    var authorityType: UTF8Text {
        if realm.normalized() == "adfs" { return "ADFS" }
        return isMicrosoft ? "MSSTS" : "Other"
    }
}
