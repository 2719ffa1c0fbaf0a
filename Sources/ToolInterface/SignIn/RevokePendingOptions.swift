// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser

/// What `cachetool doctor` does with the network.
public struct RevokePendingOptions: ParsableArguments {
    /// Whether to repeat revocations.
    @Flag(help: "Instead, revoke the refresh tokens that cachetool sign-out --revoke could not revoke.")
    public var revokePending = false

    /// Called by the parser.
    public init() {}
}
