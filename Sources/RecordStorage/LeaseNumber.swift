// SPDX-License-Identifier: Apache-2.0

/// The ranges of lease numbers.
package enum LeaseNumber {
    /// The first number of leases for questions to the user. The answer may take any time, so only callers with the
    /// same question wait for such a lease.
    ///
    /// Lower numbers are for token requests. Their responses must be stored, so a migration waits for those leases.
    package static let firstOfInteractions: UInt64 = 1 << 62

    /// The limit of all numbers, exclusive.
    package static let end: UInt64 = 1 << 63
}
