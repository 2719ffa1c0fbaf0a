// SPDX-License-Identifier: Apache-2.0

/// One of Microsoft's clouds, by the host of its sign-in service. Each has its own tenants and accounts.
public struct NationalCloud: Hashable, Sendable, CustomStringConvertible {
    /// The host that requests are sent to.
    public let host: String

    /// The global cloud.
    public static let global = NationalCloud(host: "login.microsoftonline.com")
    /// China, operated by 21Vianet.
    public static let china = NationalCloud(host: "login.partner.microsoftonline.cn")
    /// The government of the United States.
    public static let usGovernment = NationalCloud(host: "login.microsoftonline.us")
    /// Bleu, in France.
    public static let bleu = NationalCloud(host: "login.sovcloud-identity.fr")
    /// Delos, in Germany.
    public static let delos = NationalCloud(host: "login.sovcloud-identity.de")
    /// The government of Singapore.
    public static let singaporeGovernment = NationalCloud(host: "login.sovcloud-identity.sg")

    /// The host.
    public var description: String { host }
}
