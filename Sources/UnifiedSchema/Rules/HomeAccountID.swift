// SPDX-License-Identifier: Apache-2.0

/// What home account ids are made from, and which of them belong to the same account.
package enum HomeAccountID {
    /// The id that `client_info` gives an account. If `utid` is missing, `uid` serves as both, as in MSAL for Go.
    ///
    /// - Returns: nil without a `uid`.
    package static func of(uid: UTF8Text?, utid: UTF8Text?) -> UTF8Text? {
        guard let uid, !uid.isBlank else { return nil }
        let utid = utid.flatMap { $0.isBlank ? nil : $0 } ?? uid
        return UTF8Text("\(uid.string).\(utid.string)")
    }

    /// Whether two ids belong to the same account: they are equal regardless of case, or equal except for an Azure AD
    /// B2C policy. B2C's servers put the policy after the user's id (`OID-b2c_1_x.TID`) or omit it; MSAL for Java puts
    /// it after the whole id (`OID.TID-b2c_1_x`).
    package static func areSame(_ one: UTF8Text, _ other: UTF8Text) -> Bool {
        let (one, other) = (one.normalized(), other.normalized())
        return one == other || withoutPolicy(one.string) == withoutPolicy(other.string)
    }

    /// A folded id without its policies. Names of policies begin with `b2c_1` and contain no dot.
    private static func withoutPolicy(_ id: String) -> [Substring] {
        id.split(separator: ".", omittingEmptySubsequences: false).map { part in
            guard let policy = part.firstRange(of: "-b2c_1"), policy.lowerBound > part.startIndex else { return part }
            return part[..<policy.lowerBound]
        }
    }
}
