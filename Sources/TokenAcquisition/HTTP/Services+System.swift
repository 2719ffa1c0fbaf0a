// SPDX-License-Identifier: Apache-2.0

extension Services {
    #if SignIn
    /// The network of this machine, by ``HTTPTransport``, its clock, the user's browser, by ``SystemBrowser``, and
    /// listeners for redirects: ``LoopbackListener`` for `http` URIs, ``CustomSchemeListener`` for others. All clients that use it share one transport. Transport and browser
    /// go by the environment of the process as it was when the services were first asked for.
    public static let system: Services = {
        var services = Services(transport: HTTPTransport())
        services.browser = SystemBrowser()
        services.redirectListener = SystemRedirectListener()
        return services
    }()
    #else
    /// The network of this machine: only with the package trait `SignIn`.
    @available(
        *,
        unavailable,
        message: """
            this needs the package trait SignIn: add traits: ["SignIn"] to the dependency on swift-token-cache, \
            or create Services with a Transport of your own
            """
    )
    // Unreachable: what is unavailable does not compile where it is used.
    public static var system: Services { fatalError() }
    #endif
}
