// SPDX-License-Identifier: Apache-2.0

import Programs

/// What a process finds for one account: the numbers of the saves that its tokens come from.
struct Holding: Equatable, CustomStringConvertible {
    let account: Int
    let accessToken: Int?
    let refreshToken: Int?

    /// From a line of the form "account access-token refresh-token", with "-" where there is none.
    init(line: String) throws {
        let parts = line.split(separator: " ")
        guard parts.count == 3, let account = Int(parts[0]) else { throw Unfit(reason: "not a holding: \(line)") }
        self.account = account
        accessToken = Int(parts[1])
        refreshToken = Int(parts[2])
    }

    var description: String {
        "account \(account): access token \(accessToken ?? -1), refresh token \(refreshToken ?? -1)"
    }
}
