// SPDX-License-Identifier: Apache-2.0

extension Services {
    #if SignIn
    /// The network of this machine, by ``HTTPTransport``, and its clock. All clients that use it share one transport, which
    /// goes by the environment of the process as it was when it was first asked for.
    public static let system = Services(transport: HTTPTransport())
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
