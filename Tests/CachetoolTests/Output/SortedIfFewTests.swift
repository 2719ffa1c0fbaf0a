// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import cachetool

@Suite("Lists of any length")
struct SortedIfFewTests {
    private func printed(_ numbers: [Int], limit: Int) -> [Int] {
        var list = SortedIfFew<Int>(limit: limit)
        var result: [Int] = []
        for number in numbers { list.take(number) { result.append($0) } }
        return result + list.rest { $0.sorted() }
    }

    @Test("up to the limit it is sorted, beyond it is printed as it comes, once each")
    func order() {
        #expect(printed([], limit: 3) == [])
        #expect(printed([3, 1, 2], limit: 3) == [1, 2, 3])
        #expect(printed([3, 1, 4, 2, 5], limit: 3) == [3, 1, 4, 2, 5])
    }

    @Test("beyond the limit nothing is kept back")
    func atOnce() {
        var list = SortedIfFew<Int>(limit: 2)
        var result: [Int] = []
        for number in [2, 1] { list.take(number) { result.append($0) } }
        #expect(result.isEmpty)
        list.take(0) { result.append($0) }
        #expect(result == [2, 1, 0])
        list.take(7) { result.append($0) }
        #expect(result == [2, 1, 0, 7])
    }
}
