// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// What became of a pending revocation.
public struct RevocationReport: Hashable, Sendable {
    /// The pending revocation.
    public let revocation: PendingRevocation

    /// The outcome of the request: ``SignOutReport/Outcome/done``, ``SignOutReport/Outcome/notSupported`` or
    /// ``SignOutReport/Outcome/failed(_:)``.
    public let outcome: SignOutReport.Outcome

    /// Whether the token is kept, to try again.
    public let isPending: Bool
}
