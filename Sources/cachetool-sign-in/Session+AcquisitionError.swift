// SPDX-License-Identifier: Apache-2.0

import TokenAcquisition
import TokenCaching
import ToolInterface

extension Session {
    /// Converts an error of a request to one that this program reports.
    func failure(_ error: AcquisitionError) -> any Error {
        if let cacheError = error.cacheError {
            guard error.code == .configurationRejected else { return explained(cacheError) }
            if cacheError.code == .invalidRequest { return cacheError }
            return CommandFailure(ExitStatus(cacheError.code), "The app cannot authenticate. \(cacheError)")
        }
        if let host = error.endpointHost {
            return CommandFailure(ExitStatus(error.code), "\(error) For that, use --endpoint-host \(host).")
        }
        switch error.code {
        case .cancelled where Interruption.isWanted: return TokenCacheError(.cancelled)
        case .browserMissing: return CommandFailure(.failure, "\(error) Use --device-code.")
        case .redirectUnavailable:
            return CommandFailure(.failure, "\(error) Use --redirect-uri or --device-code.")
        case .issuerNotAllowed: return CommandFailure(.usage, "\(error) Use --allow-issuer.")
        case .scopesDeclined:
            let declined = error.declinedScopes.joined(separator: " ")
            return CommandFailure(.partial, "The authority did not grant \(declined).")
        case .networkFailed where error.transportError?.isOutage == true:
            return CommandFailure(.timeout, error.description)
        default: return CommandFailure(ExitStatus(error.code), error.description)
        }
    }

    /// The failure that asks the user to sign in, with the command to do so.
    ///
    /// - Parameters:
    ///   - reason: why, in a word or a sentence; nil if that is unknown.
    ///   - authority: the URL of the authority; nil if that is unknown.
    ///   - client: the application.
    ///   - scopes: the requested scopes.
    ///   - resourceAddress: the address of the API that names all of these; nil if they were typed.
    ///   - endpoints: the authority's endpoints.
    ///   - account: the account, at an authority that does not name it.
    ///   - parameters: what the token is for besides its scopes.
    ///   - credential: what the application authenticates with.
    ///   - claims: the claims that the authority requests in addition.
    /// - Returns: the failure, with the exit status 3.
    func signInRequired(
        because reason: String?,
        authority: String?,
        client: String,
        scopes: String,
        resourceAddress: String?,
        endpoints: EndpointOptions,
        account: String? = nil,
        parameters: TokenParameterOptions,
        credential: ClientCredentialOptions,
        claims: ClaimsRequest? = nil
    ) -> CommandFailure {
        var words: [String]
        if let resourceAddress {
            words = ["--for", AdvisedCommands.shellWord(resourceAddress)]
        } else {
            words = ["--authority", authority.map(AdvisedCommands.shellWord) ?? "URL"]
            words += ["--client", AdvisedCommands.shellWord(client), "--scopes", AdvisedCommands.shellWord(scopes)]
        }
        words += endpoints.words + endpoints.missingWords
        if let account { words += ["--account", AdvisedCommands.shellWord(account)] }
        words += parameters.words + (parameters.typedParameters.isEmpty ? [] : ["--isolate"])
        words += credential.words.map(AdvisedCommands.shellWord)
        if let claims { words += ["--claims", AdvisedCommands.shellWord(claims.json)] }
        let cause = reason.map { " (\($0))" } ?? ""
        return CommandFailure(
            .notFound,
            "The user has to sign in\(cause): cachetool sign-in " + words.joined(separator: " ")
        )
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
