// SPDX-License-Identifier: Apache-2.0

extension AcquisitionError {
    /// What went wrong. Later versions may add codes: a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let value: Value

        private init(_ value: Value) {
            self.value = value
        }

        private enum Value: String, Sendable {
            case interactionRequired, scopesDeclined
            case declinedByUser, cancelled, timeout, accountMismatch, browserMissing
            case serverUnavailable, throttled, serverRefused
            case deviceRegistrationRequired, protectionPolicyRequired, passwordResetRequired
            case deviceCodeExpired, grantNotSupported
            case authorityRejected, issuerRejected, issuerNotAllowed, idTokenRejected, responseRejected
            case configurationRejected, requestRejected, redirectUnavailable, severalAuthorizationServers
            case severalAccounts, renewalBusy, interactionBusy, cacheFailed, networkFailed
        }

        // MARK: Codes that every application handles

        /// No token can be obtained without interaction. ``AcquisitionError/reason`` says why; let the user sign in.
        public static let interactionRequired = Code(.interactionRequired)
        /// The server granted only some of the scopes: ``AcquisitionError/grantedScopes``,
        /// ``AcquisitionError/declinedScopes``, and the token in ``AcquisitionError/result``. The tokens are saved: if
        /// a sign-in ends like this, the user is signed in.
        public static let scopesDeclined = Code(.scopesDeclined)

        // MARK: The user

        /// The user declined.
        public static let declinedByUser = Code(.declinedByUser)
        /// The task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The request timed out.
        public static let timeout = Code(.timeout)
        /// The server responded with another account than the requested one.
        public static let accountMismatch = Code(.accountMismatch)
        /// There is no browser to sign in with.
        public static let browserMissing = Code(.browserMissing)

        // MARK: The server

        /// The server has a problem.
        public static let serverUnavailable = Code(.serverUnavailable)
        /// The server asked the client to wait: ``AcquisitionError/retryAfter``.
        public static let throttled = Code(.throttled)
        /// The server refused the request, for a reason that another sign-in does not remove.
        public static let serverRefused = Code(.serverRefused)
        /// A policy of the tenant requires a registered or compliant device.
        public static let deviceRegistrationRequired = Code(.deviceRegistrationRequired)
        /// A policy of the tenant requires an app protection policy.
        public static let protectionPolicyRequired = Code(.protectionPolicyRequired)
        /// The user of Azure AD B2C chose to reset the password, which needs another policy: sign in with the authority
        /// of that policy.
        public static let passwordResetRequired = Code(.passwordResetRequired)
        /// The user did not enter the code in time.
        public static let deviceCodeExpired = Code(.deviceCodeExpired)
        /// The server, or the application's registration there, does not offer this way to get tokens.
        public static let grantNotSupported = Code(.grantNotSupported)

        // MARK: Responses that cannot be trusted

        /// The server is not the one that the authority names, or is not on its host.
        public static let authorityRejected = Code(.authorityRejected)
        /// The server's metadata or token names another issuer.
        public static let issuerRejected = Code(.issuerRejected)
        /// Users signed in at another issuer with the same redirect URI, so that this one could receive codes of the
        /// other: see ``ClientConfiguration/allowedIssuers``.
        public static let issuerNotAllowed = Code(.issuerNotAllowed)
        /// The id token is not for this application, or not valid now.
        public static let idTokenRejected = Code(.idTokenRejected)
        /// The response violates the protocol.
        public static let responseRejected = Code(.responseRejected)

        // MARK: The caller

        /// The configuration or an authority is not valid.
        public static let configurationRejected = Code(.configurationRejected)
        /// The request is not valid.
        public static let requestRejected = Code(.requestRejected)
        /// The client cannot receive responses at the redirect URI: it is in use, or there is no
        /// ``Services/redirectListener``.
        public static let redirectUnavailable = Code(.redirectUnavailable)

        /// An API names several authorization servers: ``AcquisitionError/authorizationServers``. Let the user choose one,
        /// as ``ProtectedResourceRequest/authority``.
        public static let severalAuthorizationServers = Code(.severalAuthorizationServers)

        // MARK: Cache, transport and other processes

        /// The application is signed in to more than one account, so that none is current. List the accounts, and let
        /// the user choose.
        public static let severalAccounts = Code(.severalAccounts)

        /// Another process is still renewing the token.
        public static let renewalBusy = Code(.renewalBusy)
        /// Another process is still asking the user to sign in: ``AcquisitionError/processID``.
        public static let interactionBusy = Code(.interactionBusy)
        /// The cache failed: ``AcquisitionError/cacheError``.
        public static let cacheFailed = Code(.cacheFailed)
        /// There was no complete response: ``AcquisitionError/transportError``.
        public static let networkFailed = Code(.networkFailed)

        /// A stable name, such as `interactionRequired`, for programs and logs.
        public var name: String { value.rawValue }

        /// The same as ``name``.
        public var description: String { name }

        /// What happened, and what to do.
        var texts: (happened: String, advice: String) {
            switch value {
            case .interactionRequired: ("No token can be obtained without the user", "Let the user sign in")
            case .scopesDeclined:
                ("The server granted only some of the scopes", "Use the token for those, or ask for the others again")
            case .declinedByUser: ("The user declined", "Ask again only if the user wants it")
            case .cancelled: ("The request was cancelled", "Start it again if it is still needed")
            case .timeout: ("The request took too long", "Try again, with a longer timeout")
            case .accountMismatch:
                ("The server responded with another account", "Let the user sign in, with the account as a hint")
            case .browserMissing: ("There is no browser", "Sign in with a device code")
            case .serverUnavailable: ("The server has a problem", "Try again later")
            case .throttled: ("The server asked the application to wait", "Try again later")
            case .serverRefused:
                ("The server refused the request", "Check the application's registration and the request")
            case .deviceRegistrationRequired:
                (
                    "A policy requires a registered or compliant device",
                    "Use a device that an identity broker registered, or ask the tenant's administrator"
                )
            case .protectionPolicyRequired:
                (
                    "A policy requires an app protection policy, which does not exist on Linux",
                    "Ask the tenant's administrator to exempt this application"
                )
            case .passwordResetRequired:
                ("The user chose to reset the password", "Sign in with the authority of the policy for resetting it")
            case .deviceCodeExpired: ("The code was not entered in time", "Request a new one")
            case .grantNotSupported:
                (
                    "The server, or the registration of the application, does not offer this way to get tokens",
                    "Enable it in the registration (for a device code: public client flows), or use another way"
                )
            case .authorityRejected: ("The server does not match the authority", "Check the authority")
            case .issuerRejected:
                (
                    "The server names another issuer",
                    "Check the authority: it has to be the issuer, letter by letter, with or without a slash at the end"
                )
            case .issuerNotAllowed:
                (
                    "The server could receive codes that another server issued",
                    "Allow the issuer if you trust it, or use a redirect URI for each issuer"
                )
            case .idTokenRejected:
                ("The id token is not acceptable", "Check the client id, the authority and the clock")
            case .responseRejected:
                (
                    "The response is not what the protocol requires",
                    "Check the authority, and whether a proxy interferes"
                )
            case .configurationRejected: ("The configuration is not valid", "Correct it")
            case .requestRejected: ("The request is not valid", "Correct it")
            case .redirectUnavailable:
                (
                    "Nothing can be received at the redirect URI",
                    "Choose a free port, or sign in with a device code"
                )
            case .severalAuthorizationServers:
                ("The API names several authorization servers", "Let the user choose one")
            case .severalAccounts:
                ("The application is signed in to several accounts", "List them, and let the user choose one")
            case .renewalBusy: ("Another process is still renewing the token", "Try again")
            case .interactionBusy:
                (
                    "Another process is still asking the user to sign in",
                    "Answer it there, or end that process, then try again"
                )
            case .cacheFailed: ("The token cache failed", "See the cache's error")
            case .networkFailed: ("The server could not be reached", "Check the network and the proxy, then try again")
            }
        }
    }
}
