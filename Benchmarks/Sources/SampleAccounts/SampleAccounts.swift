// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A unified cache of any number of accounts, the same at every run.
///
/// Each account has one access token (2,008 bytes), one refresh token (1,206 bytes), one id token (1,359 bytes, a
/// well-formed JWT) and one account record; all share one client and one app metadata entry.
public struct SampleAccounts: Sendable {
    /// Number of accounts.
    public let count: Int
    /// Seconds since 1970 at which the tokens were cached; they live for an hour and a bit.
    public let cachedAt: Int

    /// The application that all tokens were issued to.
    public static let clientID = "6c05e3c4-9d0f-4c62-9a5b-0d2a4f9c1b7e"
    /// The host that the SDKs write for the public cloud.
    public static let environment = "login.windows.net"
    /// The scopes of every access token.
    public static let scopes = ["Calendars.Read", "Files.ReadWrite", "Mail.Read", "User.Read", "profile", "openid"]
    /// The length of every access token, in bytes.
    public static let accessTokenByteCount = 2_008
    /// How long an access token lives, in seconds.
    public static let lifetime = 4_199

    /// A cache of `count` accounts whose tokens were saved at `cachedAt`.
    public init(count: Int, cachedAt: Int) {
        self.count = count
        self.cachedAt = cachedAt
    }

    /// The home tenant of account `index`: ten thousand accounts share one.
    public func tenant(_ index: Int) -> String {
        Self.guid(index / 10_000, salt: 0x7e4a)
    }

    /// The home account id of account `index`.
    public func homeAccountID(_ index: Int) -> String {
        Self.guid(index, salt: 0x0a11) + "." + tenant(index)
    }

    /// The username of account `index`.
    public func username(_ index: Int) -> String {
        "person\(index)@contoso\(index / 10_000).example"
    }

    static func guid(_ number: Int, salt: UInt64) -> String {
        var random = Xorshift(seed: UInt64(number) &* 0x9e37_79b9_7f4a_7c15 ^ salt)
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for position in 0..<32 {
            if [8, 12, 16, 20].contains(position) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(random.next() & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
