// SPDX-License-Identifier: Apache-2.0

/// What a lookup must answer. Where the rules leave several tokens equal, any of them will do.
enum ExpectedDecision: Hashable {
    case valid([String])
    case renew([String], stillValid: [String]?)
    case interaction(String)
    case refused(String)
}
