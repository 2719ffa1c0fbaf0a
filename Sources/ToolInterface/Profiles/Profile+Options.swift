// SPDX-License-Identifier: Apache-2.0

/// What a profile keeps of a command line. Relative paths become absolute ones, because a profile is used in any folder.
extension Profile {
    /// Adds the group, its location, and what opens it, except for a passphrase.
    public mutating func add(_ options: GroupOptions) {
        add("group", options.group)
        add("root", options.root.map(CallersPath.absolute))
        if options.storage != .automatic { add("storage", options.storage.rawValue) }
        add("collection", options.collection)
        add("key-file", options.keys.keyFile.map(CallersPath.absolute))
        add("key-credential", options.keys.keyCredential)
        add("key-file-mounted", options.keys.keyFileMounted.map(CallersPath.absolute))
    }

    /// Adds where the application's secret is, except for a descriptor.
    public mutating func add(_ options: ClientCredentialOptions) {
        add("client-secret-file", options.clientSecretFile.map(CallersPath.absolute))
        add("client-assertion-file", options.clientAssertionFile.map(CallersPath.absolute))
    }

    /// Adds what the token is for; the authority's own parameters only if they tell tokens apart.
    public mutating func add(_ options: TokenParameterOptions, isolate: Bool) {
        add("resource", options.resource)
        add("audience", options.audience)
        if isolate { for parameter in options.typedParameters { add("parameter", parameter) } }
    }

    /// Adds the endpoints of the authority.
    public mutating func add(_ options: EndpointOptions) {
        for host in options.endpointHost { add("endpoint-host", host) }
        add("token-endpoint", options.tokenEndpoint)
        add("authorization-endpoint", options.authorizationEndpoint)
        add("device-authorization-endpoint", options.deviceAuthorizationEndpoint)
        add("revocation-endpoint", options.revocationEndpoint)
    }

    /// Says that the authority does not tell who signed in, so that a sign-in names the account.
    public mutating func addMissingIDTokens() { add(Self.withoutIDTokens, "yes") }
}
