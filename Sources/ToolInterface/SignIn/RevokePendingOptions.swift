// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// What `cachetool doctor` does with the network.
public struct RevokePendingOptions: ParsableArguments {
    /// Whether to repeat revocations.
    @Flag(help: "Instead, revoke the refresh tokens that cachetool sign-out --revoke could not revoke.")
    public var revokePending = false

    /// Hosts of endpoints that the metadata names.
    @Option(
        help: ArgumentHelp(
            "With --revoke-pending, a host besides an authority's own on which it has endpoints, as for cachetool sign-out; "
                + "may be repeated.",
            valueName: "host"
        )
    )
    public var endpointHost: [String] = []

    /// Called by the parser.
    public init() {}

    /// Called by the parser.
    public func validate() throws {
        if !revokePending, !endpointHost.isEmpty {
            throw ValidationError("--endpoint-host is for --revoke-pending.")
        }
    }
}
