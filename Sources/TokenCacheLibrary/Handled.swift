// SPDX-License-Identifier: Apache-2.0

internal import CacheAdministration
internal import TokenCaching

/// A type of object that callers have handles of.
protocol Handled: AnyObject, Sendable {
    /// The highest four bits of its handles, of which the first is set.
    static var kind: UInt { get }
}

extension TokenCache: Handled {
    @inline(__always)
    static var kind: UInt { 0x8 }
}

extension TokenQuery: Handled {
    @inline(__always)
    static var kind: UInt { 0x9 }
}

extension SteppedRenewal: Handled {
    @inline(__always)
    static var kind: UInt { 0xA }
}

extension CacheGroup: Handled {
    static var kind: UInt { 0xB }
}

extension OpenDocument: Handled {
    static var kind: UInt { 0xC }
}
