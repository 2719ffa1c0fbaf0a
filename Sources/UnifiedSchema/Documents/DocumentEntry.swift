/// One entry out of a document.
package struct DocumentEntry: Sendable {
    package let facts: EntryFacts
    /// Where its secrets lie in the window, until that is refilled.
    package let secrets: SecretRanges
    /// Where its value begins, from the start of the document.
    package let byteOffset: Int
}
