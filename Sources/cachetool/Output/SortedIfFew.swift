// SPDX-License-Identifier: Apache-2.0

/// Keeps the first elements of a list, to sort them if there are no more. A longer list is printed while it is read, in the order in
/// which its elements come.
struct SortedIfFew<Element> {
    private var kept: [Element]? = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next element.
    ///
    /// - Returns: what is to be printed now.
    mutating func take(_ element: Element) -> [Element] {
        guard kept != nil else { return [element] }
        kept?.append(element)
        guard let first = kept, first.count > limit else { return [] }
        kept = nil
        return first
    }

    /// What was kept, at the end of the list.
    func rest(sorted: ([Element]) -> [Element]) -> [Element] { sorted(kept ?? []) }
}
