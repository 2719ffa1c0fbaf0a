// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ToolInterface
@testable import cachetool

@Suite("Tables")
struct TableTests {
    private static var columns: [TableColumn] {
        [
            TableColumn("KIND"), .username("ACCOUNT"), TableColumn("SCOPES", minimum: 6),
            .id("CLIENT", isOptional: true), TableColumn("EXPIRES", .right),
        ]
    }

    private static var rows: [[TableCell]] {
        [
            ["refresh token", "adele.vance@contoso.example", "User.Read Mail.Read", "6c052f15-3b7d-4f0a", "in 43 min"],
            ["access token", "王小明@contoso.example", "", "6c052f15-3b7d-4f0a", TableCell("2 h ago", .bad)],
        ]
    }

    private func lines(
        _ columns: [TableColumn] = TableTests.columns,
        _ rows: [[TableCell]] = TableTests.rows,
        width: Int? = nil,
        isColoured: Bool = false
    ) -> [String] {
        var lines: [String] = []
        Table(columns, of: rows) { $0 }.forEachLine(width: width, isColoured: isColoured) { lines.append($0) }
        return lines
    }

    @Test("without a terminal nothing is cut")
    func unlimited() {
        #expect(
            lines() == [
                "KIND           ACCOUNT                      SCOPES               CLIENT                EXPIRES",
                "refresh token  adele.vance@contoso.example  User.Read Mail.Read  6c052f15-3b7d-4f0a  in 43 min",
                "access token   王小明@contoso.example                            6c052f15-3b7d-4f0a    2 h ago",
            ]
        )
    }

    @Test(
        "what matters least shrinks first: texts, then ids to what can be typed, then usernames",
        arguments: [
            (96, "refresh token  adele.vance@contoso.example  User.Read Mail.Read  6c052f15-3b7d-4f0a  in 43 min"),
            (81, "refresh token  adele.vance@contoso.example  User.…  6c052f15-3b7d-4f0a  in 43 min"),
            (76, "refresh token  adele.vance@contoso.example  User.…  6c052f15-3b7…  in 43 min"),
            (70, "refresh token  adele.vance@contoso.exam…  User.…  6c052f15…  in 43 min"),
            (60, "refresh token  adele.vance@contoso.examp…  User.…  in 43 min"),
        ]
    )
    func shrinks(width: Int, first: String) {
        let lines = lines(width: width)
        #expect(lines[1] == first)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= width })
    }

    @Test("a terminal too narrow for anything still gets a table")
    func tiny() {
        #expect(lines(width: 1).count == 3)
    }

    @Test("a row beyond those that determine the widths loses nothing without a terminal, and is cut on one")
    func later() {
        let short = [[TableCell]](repeating: ["a"], count: 1_000)
        let columns = [TableColumn("NAME", minimum: 4)]
        #expect(lines(columns, short + [["abcdefgh"]]).last == "abcdefgh")
        #expect(lines(columns, short + [["abcdefgh"]], width: 20).last == "abc…")
    }

    @Test("colour goes around the text and does not move columns")
    func colour() {
        let lines = lines(isColoured: true)
        #expect(lines[2].hasSuffix("\u{1B}[31m2 h ago\u{1B}[0m"))
        #expect(lines[0].contains("\u{1B}[2mACCOUNT\u{1B}[0m"))
    }

    @Test("a cell cannot command the terminal")
    func injection() {
        let lines = lines([TableColumn("NAME")], [[TableCell("\u{1B}]0;owned\u{7}")]], isColoured: true)
        #expect(lines[1] == "\\u{1B}]0;owned\\u{7}")
    }

    @Test("no line ends in blanks")
    func trailing() {
        let columns = [TableColumn("A"), TableColumn("B"), TableColumn("C", .right)]
        #expect(lines(columns, [["x", "", ""]]) == ["A  B  C", "x"])
    }
}
