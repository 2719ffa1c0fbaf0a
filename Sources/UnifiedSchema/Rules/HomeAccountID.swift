/// Which home account ids are one account's.
package enum HomeAccountID {
    /// Whether two ids are one account's: equal whatever their case, or equal but for a policy of Azure AD B2C. Its servers put
    /// the policy behind the user's id (`OID-b2c_1_x.TID`) or leave it out, MSAL for Java puts it behind the whole
    /// (`OID.TID-b2c_1_x`).
    package static func areSame(_ one: UTF8Text, _ other: UTF8Text) -> Bool {
        let (one, other) = (one.normalized(), other.normalized())
        return one == other || withoutPolicy(one.string) == withoutPolicy(other.string)
    }

    /// A folded id without the policies in it. Names of policies begin with `b2c_1` and hold no dot.
    private static func withoutPolicy(_ id: String) -> [Substring] {
        id.split(separator: ".", omittingEmptySubsequences: false).map { part in
            guard let policy = part.firstRange(of: "-b2c_1"), policy.lowerBound > part.startIndex else { return part }
            return part[..<policy.lowerBound]
        }
    }
}
