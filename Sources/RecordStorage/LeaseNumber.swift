// SPDX-License-Identifier: Apache-2.0

/// The numbers of leases.
package enum LeaseNumber {
    /// Those below belong to requests for tokens, whose responses must be stored: a migration waits for them.
    ///
    /// Those from here on belong to questions to the user, who may take any time: nothing waits for them except whoever
    /// would ask the same.
    package static let firstOfInteractions: UInt64 = 1 << 62

    /// All numbers are below this.
    package static let end: UInt64 = 1 << 63
}
