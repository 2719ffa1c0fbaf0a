// SPDX-License-Identifier: Apache-2.0

extension Services {
    #if SignIn
    /// The system's services: the network through ``HTTPTransport``, the clock, the user's browser through
    /// ``SystemBrowser``, and listeners for redirects: ``LoopbackListener`` for `http` URIs, ``CustomSchemeListener``
    /// for others. All clients that use these services share one transport. Transport and browser use the environment
    /// of the process at the first access.
    public static let system: Services = {
        var services = Services(transport: HTTPTransport())
        services.browser = SystemBrowser()
        services.redirectListener = SystemRedirectListener()
        return services
    }()
    #else
    /// The system's services: only with the package trait `SignIn`.
    @available(
        *,
        unavailable,
        message: """
            this needs the package trait SignIn: add traits: ["SignIn"] to the dependency on swift-token-cache, \
            or create Services with a Transport of your own
            """
    )
    // Unreachable: code that uses an unavailable declaration does not compile.
    public static var system: Services { fatalError() }
    #endif
}
