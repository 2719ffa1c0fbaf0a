// SPDX-License-Identifier: Apache-2.0

/// The numbers of leases.
package enum LeaseNumber {
    /// The first number that belongs to a question to the user. The answer may take any time, so only callers that want
    /// to ask the same question wait for such a lease.
    ///
    /// Lower numbers belong to requests for tokens, whose responses must be stored: a migration waits for those leases.
    package static let firstOfInteractions: UInt64 = 1 << 62

    /// All numbers are below this.
    package static let end: UInt64 = 1 << 63
}
