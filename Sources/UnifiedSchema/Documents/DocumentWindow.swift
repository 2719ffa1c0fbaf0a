// SPDX-License-Identifier: Apache-2.0

/// A window onto the bytes of a document, filled by its owner in memory of the owner's choice.
package protocol DocumentWindow: ~Copyable {
    associatedtype Failure: Error

    /// The bytes that have been read and not dropped.
    var bytes: RawSpan {
        @_lifetime(borrow self)
        get
    }

    /// Drops the first `count` bytes, provides `capacity` bytes in all and reads until that is full or the input ends.
    ///
    /// - Returns: whether the input ended.
    mutating func refill(discarding count: Int, capacity: Int) throws(Failure) -> Bool
}

extension DocumentReader {
    /// A result of ``next(from:)``.
    package enum Item {
        /// The ranges of its secrets are relative to the window's bytes.
        case entry(DocumentEntry)
        case bad(SchemaError)
    }

    /// The next entry, refilling the window as needed; nil at the end of the document.
    package mutating func next<Window: DocumentWindow & ~Copyable>(
        from window: inout Window
    ) throws(DocumentError<Window.Failure>) -> Item? {
        while true {
            let step: Step
            do throws(SchemaError) {
                step = try next(in: window.bytes, isLast: inputEnded)
            } catch {
                throw .schema(error)
            }
            switch step {
            case .entry(let entry): return .entry(entry)
            case .bad(let error): return .bad(error)
            case .end: return nil
            case .needsMore(let count, let capacity):
                do throws(Window.Failure) {
                    inputEnded = try window.refill(discarding: count, capacity: capacity)
                } catch {
                    throw .transport(error)
                }
            }
        }
    }
}
