// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// The endpoints of an authority: hosts besides its own, or all of them if it has no metadata.
public struct EndpointOptions: ParsableArguments {
    /// Hosts of endpoints that the metadata names.
    @Option(
        help: ArgumentHelp(
            "A host besides the authority's own on which it has endpoints, for an issuer other than Microsoft's; may be "
                + "repeated. (known for Google and Amazon Cognito)",
            valueName: "host"
        )
    )
    public var endpointHost: [String] = []

    /// The token endpoint.
    @Option(
        help: ArgumentHelp(
            "The token endpoint of an authority without metadata and without id tokens, such as GitHub.",
            valueName: "url"
        )
    )
    public var tokenEndpoint: String?

    /// The authorization endpoint.
    @Option(help: ArgumentHelp("Its page for the browser.", valueName: "url"))
    public var authorizationEndpoint: String?

    /// The endpoint for device codes.
    @Option(help: ArgumentHelp("Its endpoint for device codes.", valueName: "url"))
    public var deviceAuthorizationEndpoint: String?

    /// The endpoint that revokes tokens.
    @Option(help: ArgumentHelp("Its endpoint that revokes tokens.", valueName: "url"))
    public var revocationEndpoint: String?

    /// Called by the parser.
    public init() {}

    /// Refuses options that cannot be combined.
    public func validate() throws {
        guard tokenEndpoint == nil else {
            if !endpointHost.isEmpty { throw ValidationError("Use either --endpoint-host or --token-endpoint.") }
            return
        }
        if [authorizationEndpoint, deviceAuthorizationEndpoint, revocationEndpoint].contains(where: { $0 != nil }) {
            throw ValidationError("An authority whose endpoints are named needs --token-endpoint too.")
        }
    }

    /// What a sign-in needs besides, as words of a command line.
    public var missingWords: [String] {
        guard tokenEndpoint != nil, authorizationEndpoint == nil else { return [] }
        return deviceAuthorizationEndpoint == nil ? ["--authorization-endpoint", "URL"] : ["--device-code"]
    }

    /// The words of a command line with the same options.
    public var words: [String] {
        let named = [
            ("--token-endpoint", tokenEndpoint), ("--authorization-endpoint", authorizationEndpoint),
            ("--device-authorization-endpoint", deviceAuthorizationEndpoint),
            ("--revocation-endpoint", revocationEndpoint),
        ]
        return endpointHost.flatMap { ["--endpoint-host", AdvisedCommands.shellWord($0)] }
            + named.flatMap { name, url in url.map { [name, AdvisedCommands.shellWord($0)] } ?? [] }
    }
}
