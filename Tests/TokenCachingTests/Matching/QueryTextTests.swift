import Testing

@testable import TokenCaching

@Suite("The texts of a query")
struct QueryTextTests {
    @Test("find room, however many come", arguments: [0, 1, 16, 1000])
    func growth(capacity: Int) {
        var text = QueryText(capacity: capacity)
        let ranges = (0..<200).map { text.append("text number \($0)") }
        let copy = QueryText(copying: text)
        for (index, range) in ranges.enumerated() {
            let (original, copied) = (String(copying: text.span(range)), String(copying: copy.span(range)))
            #expect(original == "text number \(index)")
            #expect(copied == original)
        }
    }
}
