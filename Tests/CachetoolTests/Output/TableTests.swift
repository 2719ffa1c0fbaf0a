// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ToolInterface
@testable import cachetool

@Suite("Tables")
struct TableTests {
    private func table() -> Table {
        var table = Table([
            TableColumn("ID"), TableColumn("ACCOUNT", minimum: 8), TableColumn("SCOPES", minimum: 6, expendable: 1),
            TableColumn("EXPIRES", .right),
        ])
        table.add(["1a2b3c4d", "adele.vance@contoso.example", "User.Read Mail.Read", "in 43 min"])
        table.add(["99887766", "王小明@contoso.example", "", TableCell("2 h ago", .bad)])
        return table
    }

    @Test("without a terminal nothing is cut")
    func unlimited() {
        #expect(
            table().lines(width: nil, isColoured: false) == [
                "ID        ACCOUNT                      SCOPES                 EXPIRES",
                "1a2b3c4d  adele.vance@contoso.example  User.Read Mail.Read  in 43 min",
                "99887766  王小明@contoso.example                              2 h ago",
            ]
        )
    }

    @Test("columns that may shrink do, the widest first", arguments: [40, 50, 60, 68])
    func shrinks(width: Int) {
        let lines = table().lines(width: width, isColoured: false)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= width })
        #expect(lines[1].hasPrefix("1a2b3c4d  adele.") && lines[1].hasSuffix("in 43 min"))
        #expect(lines[1].contains("…"))
    }

    @Test("if that is not enough, optional columns are left out")
    func leavesOut() {
        let lines = table().lines(width: 30, isColoured: false)
        #expect(!lines[0].contains("SCOPES"), "\(lines[0])")
        #expect(lines[0].hasPrefix("ID ") && lines[0].hasSuffix("EXPIRES"), "\(lines[0])")
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 30 })
    }

    private func ranked(width: Int) -> [String] {
        var table = Table([
            TableColumn("KIND", minimum: 13, rank: 3), .username("ACCOUNT"), .id("CLIENT", expendable: 1),
            TableColumn("FOLDER", minimum: 12, expendable: 2, keepsEnd: true),
        ])
        table.add([
            "refresh token", "adele.vance@contoso.example", "6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44",
            "/home/adele/groups/work",
        ])
        return table.lines(width: width, isColoured: false)
    }

    @Test("what matters least shrinks first: texts, then ids to what can be typed, then usernames")
    func ranks() {
        #expect(ranked(width: 200)[1].hasSuffix("/home/adele/groups/work"))
        #expect(ranked(width: 100)[1].contains("adele.vance@contoso.example  6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44  …"))
        #expect(ranked(width: 80)[1].contains("adele.vance@contoso.example  6c052f15-3b"))
        #expect(ranked(width: 60)[1].contains("refresh token  adele.vance@contoso…  6c052f15…  …groups/work"))
        #expect(ranked(width: 36)[1] == "refresh token  adele.vance@contoso.…")
    }

    @Test("of a folder the end can be read", arguments: [70, 80])
    func end(width: Int) {
        #expect(ranked(width: width)[1].hasSuffix("groups/work"), "\(ranked(width: width)[1])")
    }

    @Test("a terminal too narrow for anything still gets a table")
    func tiny() {
        #expect(table().lines(width: 1, isColoured: false).count == 3)
    }

    @Test("colour goes around the text and does not move columns")
    func colour() {
        let lines = table().lines(width: nil, isColoured: true)
        #expect(lines[2].hasSuffix("\u{1B}[31m2 h ago\u{1B}[0m"))
        #expect(lines[0].contains("\u{1B}[2mACCOUNT\u{1B}[0m"))
    }

    @Test("a cell cannot command the terminal")
    func injection() {
        var table = Table([TableColumn("NAME")])
        table.add([TableCell("\u{1B}]0;owned\u{7}")])
        #expect(table.lines(width: nil, isColoured: true)[1] == "\\u{1B}]0;owned\\u{7}")
    }

    @Test("no line ends in blanks")
    func trailing() {
        var table = Table([TableColumn("A"), TableColumn("B"), TableColumn("C", .right)])
        table.add(["x", "", ""])
        #expect(table.lines(width: nil, isColoured: false) == ["A  B  C", "x"])
    }
}
