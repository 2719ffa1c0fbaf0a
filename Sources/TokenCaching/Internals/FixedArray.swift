/// A run of values that never changes, owned by whoever holds it: reading one takes no reference count.
///
/// What lookups read lies in such runs, because the count of a shared array is a cache line that all threads write to.
@safe struct FixedArray<Element: Sendable>: ~Copyable, @unchecked Sendable {
    // SAFETY: written in the initialiser only; freed when its one owner goes away.
    fileprivate let base: UnsafeMutablePointer<Element>
    let count: Int

    /// A copy of `elements`.
    init(_ elements: [Element]) {
        count = elements.count
        unsafe base = UnsafeMutablePointer.allocate(capacity: count)
        for index in 0..<count { unsafe (base + index).initialize(to: elements[index]) }
    }

    deinit {
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    /// The values, in place, for an owner that hands them out as long as it lives itself.
    @unsafe var unsafeSpan: Span<Element> {
        @_lifetime(immortal)
        get {
            let span = unsafe Span(_unsafeStart: UnsafePointer(base), count: count)
            return unsafe _overrideLifetime(span, copying: ())
        }
    }

    subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "no such value")
        // SAFETY: compared with the count above.
        return unsafe base[index]
    }
}

extension FixedArray where Element == UInt8 {
    /// The bytes, in place, for an owner that hands them out as long as it lives itself.
    @unsafe var unsafeBytes: RawSpan {
        @_lifetime(immortal)
        get {
            let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count)
            return unsafe _overrideLifetime(span, copying: ())
        }
    }
}
