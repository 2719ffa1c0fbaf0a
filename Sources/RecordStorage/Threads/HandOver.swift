/// Passes things from one thread to another, in order, a few at a time: who puts waits while it is full, who takes while
/// it is empty.
package final class HandOver<Element: Sendable>: @unchecked Sendable {
    // SAFETY: everything below is only touched inside the monitor.
    private let monitor = Monitor()
    private let capacity: Int
    private var waiting: [Element] = []
    private var isClosed = false

    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Waits for room and puts `element` in.
    ///
    /// - Returns: false where it was closed; then it takes nothing any more.
    package func put(_ element: Element) -> Bool {
        monitor.withLock {
            while waiting.count == capacity, !isClosed { monitor.wait() }
            guard !isClosed else { return false }
            waiting.append(element)
            monitor.wakeAll()
            return true
        }
    }

    /// Whether nothing is in it just now.
    package var isEmpty: Bool { monitor.withLock { waiting.isEmpty } }

    /// Waits for the next element; nil where it was closed and is empty.
    package func take() -> Element? {
        monitor.withLock {
            while waiting.isEmpty, !isClosed { monitor.wait() }
            guard !waiting.isEmpty else { return nil }
            let first = waiting.removeFirst()
            monitor.wakeAll()
            return first
        }
    }

    /// Nothing more comes. What is in it can still be taken.
    package func close() {
        monitor.withLock {
            isClosed = true
            monitor.wakeAll()
        }
    }
}
