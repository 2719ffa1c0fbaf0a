// SPDX-License-Identifier: Apache-2.0

/// Hosts on which issuers are known to have endpoints besides their own host, so that no application has to name them.
///
/// | issuer | endpoints | source, November 2026 |
/// | --- | --- | --- |
/// | `accounts.google.com` | `oauth2.googleapis.com` | its metadata, <https://accounts.google.com/.well-known/openid-configuration> |
/// | `cognito-idp.REGION.amazonaws.com` | `DOMAIN.auth.REGION.amazoncognito.com` | "User pool endpoints and managed login reference", Amazon Cognito developer guide |
enum KnownEndpointHosts {
    /// Whether an issuer on `issuerHost` is known to have endpoints on `host`. Both in lower case.
    static func contain(_ host: String, of issuerHost: String) -> Bool {
        if issuerHost == "accounts.google.com" { return host == "oauth2.googleapis.com" }
        let parts = issuerHost.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "cognito-idp", parts[2...] == ["amazonaws", "com"] else { return false }
        let suffix = ".auth.\(parts[1]).amazoncognito.com"
        return host.hasSuffix(suffix) && !host.dropLast(suffix.count).contains(".") && host != suffix
    }
}
