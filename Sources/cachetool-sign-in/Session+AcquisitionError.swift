// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching
import ToolInterface

extension Session {
    /// Converts an error of a request to one that this program reports.
    ///
    /// - Parameters:
    ///   - error: the error.
    ///   - words: those of a sign-in for the API whose client made the request; none for other requests.
    /// - Returns: the error to report.
    func failure(_ error: AcquisitionError, for words: [String] = []) -> any Error {
        // The error of the cache does not have the server's answer.
        if let cacheError = error.cacheError, ![.renewalUnavailable, .renewalBusy].contains(cacheError.code) {
            guard error.code == .configurationRejected else { return explained(cacheError) }
            if cacheError.code == .invalidRequest { return cacheError }
            // The status for what is not found says that the user has to sign in.
            let status = cacheError.code == .notFound ? .usage : ExitStatus(cacheError.code)
            return CommandFailure(status, "The app cannot authenticate. \(cacheError)")
        }
        if error.endpointHost != nil { return CommandFailure(ExitStatus(error.code), error.descriptionWithOption) }
        if !words.isEmpty, ["invalid_client", "unauthorized_client"].contains(error.errorResponse?.error) {
            let command = "cachetool sign-in \(words.joined(separator: " ")) --register"
            return CommandFailure(
                ExitStatus(error.code),
                "\(error) If the authority has forgotten a client that cachetool registered, \(command) registers another one."
            )
        }
        switch error.code {
        case .cancelled where Interruption.isWanted: return TokenCacheError(.cancelled)
        case .browserMissing: return CommandFailure(.failure, "\(error) Use --device-code.")
        case .redirectUnavailable:
            return CommandFailure(.failure, "\(error) Use --redirect-uri or --device-code.")
        case .issuerNotAllowed: return CommandFailure(.usage, "\(error) Use --allow-issuer.")
        case .severalAuthorizationServers: return CommandFailure(.usage, "\(error) Use --authority.")
        case .scopesDeclined:
            let declined = error.declinedScopes.joined(separator: " ")
            return CommandFailure(.partial, "The authority did not grant \(declined).")
        case .networkFailed where error.transportError?.isOutage == true:
            return CommandFailure(.timeout, error.description)
        default: return CommandFailure(ExitStatus(error.code), error.description)
        }
    }
}

extension AcquisitionError {
    /// The description, and the option for a host on which an endpoint was refused.
    var descriptionWithOption: String {
        endpointHost.map { "\(self) For that, use --endpoint-host \(AdvisedCommands.shellWord($0))." } ?? description
    }
}

extension TokenOptions {
    /// The failure, with the exit status 3, that asks the user to sign in, with the command to do so. The account is for an
    /// authority that does not name it. What is nil or empty is unknown.
    func signInRequired(
        because reason: String?,
        _ authority: Authority?,
        client: String,
        scopes: [String],
        account: String?,
        claims: ClaimsRequest?
    ) -> CommandFailure {
        let cause = reason.map { " (\($0))" } ?? ""
        if let profile, isMeant(by: profile) {
            let words = [profile] + (claims.map { ["--claims", AdvisedCommands.shellWord($0.json)] } ?? [])
            return CommandFailure(
                .notFound,
                "The user has to sign in\(cause): cachetool sign-in " + words.joined(separator: " ")
            )
        }
        var words = resourceAddress.map { ["--for", AdvisedCommands.shellWord($0)] } ?? []
        if resourceAddress == nil || authority != nil {
            words += ["--authority", authority.map { AdvisedCommands.shellWord($0.url) } ?? "URL"]
        }
        if resourceAddress == nil {
            words += ["--client", client.isEmpty ? "CLIENT" : AdvisedCommands.shellWord(client)]
            if scopes.isEmpty { words += ["--scopes", "SCOPES"] }
        }
        if !scopes.isEmpty { words += ["--scopes", AdvisedCommands.shellWord(scopes.joined(separator: " "))] }
        words += endpoints.words + endpoints.missingWords
        if let account, endpoints.tokenEndpoint != nil || authority?.kind == .oauth {
            words += ["--account", AdvisedCommands.shellWord(account)]
        }
        words += parameters.words + (parameters.typedParameters.isEmpty ? [] : ["--isolate"])
        words += credential.words.map(AdvisedCommands.shellWord)
        if let claims { words += ["--claims", AdvisedCommands.shellWord(claims.json)] }
        return CommandFailure(
            .notFound,
            "The user has to sign in\(cause): cachetool sign-in " + words.joined(separator: " ")
        )
    }
}

extension TokenOptions {
    /// Whether a sign-in by the name of a profile is for the same as these options, which may have been typed beside it.
    private func isMeant(by name: String) -> Bool {
        guard let profile = (try? ProfileFile.read())?[name], profile["account"] == account else { return false }
        if let address = profile["for"] { return address == resourceAddress }
        return [("client", client), ("scopes", scopes), ("authority", authority), ("resource", parameters.resource)]
            .allSatisfy { profile[$0.0] == $0.1 } && authority != nil && client != nil && scopes != nil
    }
}

extension TransportError {
    /// Whether the server may respond later.
    fileprivate var isOutage: Bool {
        switch code {
        case .hostNotFound, .connectionFailed, .connectionClosed, .proxyUnreachable, .timeout: true
        default: false
        }
    }
}

extension ExitStatus {
    /// The status for an error of a request.
    init(_ code: AcquisitionError.Code) {
        self = Self.ofRequests[code] ?? .failure
    }

    private static let ofRequests: [AcquisitionError.Code: ExitStatus] = [
        .interactionRequired: .notFound,
        .configurationRejected: .usage, .requestRejected: .usage, .severalAuthorizationServers: .usage,
        .timeout: .timeout, .renewalBusy: .timeout, .throttled: .timeout, .serverUnavailable: .timeout,
        .deviceCodeExpired: .timeout,
        .scopesDeclined: .partial,
    ]
}
