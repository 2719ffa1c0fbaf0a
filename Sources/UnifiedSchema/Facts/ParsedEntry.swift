// SPDX-License-Identifier: Apache-2.0

/// An entry read from JSON: everything except its secrets, whose ranges in the bytes it has instead.
package struct ParsedEntry: Sendable {
    package let facts: EntryFacts
    package let secrets: SecretRanges
}
