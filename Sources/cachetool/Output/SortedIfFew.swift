// SPDX-License-Identifier: Apache-2.0

/// Collects the first elements of a list, and sorts them if there are no more. A longer list is printed while it is
/// read, in the order of reading.
struct SortedIfFew<Element> {
    private var kept: [Element]? = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Accepts the next element, and passes the elements to print now to `print`.
    mutating func take(_ element: Element, _ print: (Element) -> Void) {
        guard let count = kept?.count else { return print(element) }
        kept?.append(element)
        guard count == limit, let first = kept else { return }
        kept = nil
        first.forEach(print)
    }

    /// The elements that were not printed, at the end of the list.
    func rest(sorted: ([Element]) -> [Element]) -> [Element] { sorted(kept ?? []) }
}
