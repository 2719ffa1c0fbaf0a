// SPDX-License-Identifier: Apache-2.0

/// Keeps the first elements of a list, to sort them if there are no more. A longer list is printed while it is read, in the order in
/// which its elements come.
struct SortedIfFew<Element> {
    private var kept: [Element]? = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes the next element, and passes on what is to be printed now.
    mutating func take(_ element: Element, _ print: (Element) -> Void) {
        guard let count = kept?.count else { return print(element) }
        kept?.append(element)
        guard count == limit, let first = kept else { return }
        kept = nil
        first.forEach(print)
    }

    /// What was kept, at the end of the list.
    func rest(sorted: ([Element]) -> [Element]) -> [Element] { sorted(kept ?? []) }
}
