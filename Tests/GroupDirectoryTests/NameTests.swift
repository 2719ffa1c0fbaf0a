// SPDX-License-Identifier: Apache-2.0

import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

@Suite("Names and roots")
struct NameTests {
    @Test("allowed names are taken letter by letter", arguments: ["a", "com.contoso.sso", "A-b_c.9", "a..b", "-x"])
    func allowed(name: String) throws {
        #expect(try GroupName(name).text == name)
    }

    @Test("a name may have 128 characters and no more")
    func length() throws {
        _ = try GroupName(String(repeating: "n", count: 128))
        let long = String(repeating: "n", count: 129)
        #expect(code { () throws(StorageError) in try GroupName(long) } == .invalidName)
    }

    @Test(
        "other names are refused",
        arguments: ["", ".", "..", ".hidden", "a/b", "/", "a b", "ä", "a\n", "a\0b", "a:b", "../x", "a\u{301}", "％"]
    )
    func refused(name: String) {
        #expect(code { () throws(StorageError) in try GroupName(name) } == .invalidName)
    }

    @Test(
        "the root follows XDG_DATA_HOME where it is absolute, else HOME",
        arguments: [
            (["XDG_DATA_HOME": "/data", "HOME": "/home/u"], "/data/swift-token-cache"),
            (["XDG_DATA_HOME": "data", "HOME": "/home/u"], "/home/u/.local/share/swift-token-cache"),
            (["XDG_DATA_HOME": "", "HOME": "/home/u"], "/home/u/.local/share/swift-token-cache"),
            (["HOME": "/home/u/"], "/home/u/.local/share/swift-token-cache"),
            (["XDG_DATA_HOME": "/data"], "/data/swift-token-cache"),
        ]
    )
    func root(environment: [String: String], expected: String) throws {
        #expect(try GroupDirectory.defaultRoot(environment: environment) == FilePath(expected))
    }

    @Test(
        "without a home folder there is no root, and the error says what to set",
        arguments: [[:], ["HOME": ""], ["HOME": "relative"], ["XDG_DATA_HOME": "x"]] as [[String: String]]
    )
    func noHome(environment: [String: String]) {
        do throws(StorageError) {
            _ = try GroupDirectory.defaultRoot(environment: environment)
            Issue.record("a root was found")
        } catch {
            #expect(error.code == .homeMissing)
            #expect(error.detail?.contains("XDG_DATA_HOME or HOME") == true)
        }
    }

    @Test("groups are listed in order; other things are not groups")
    func listing() throws {
        let scratch = Scratch()
        #expect(try GroupDirectory.list(root: scratch.root).isEmpty)
        for name in ["zeta", "Alpha", "beta.2"] { _ = try scratch.group(.create, name: name) }
        try run("/bin/mkdir", [scratch.root.appending(".keys").string, scratch.root.appending("a b").string])
        try run("/usr/bin/touch", [scratch.root.appending("file").string])
        try run("/bin/ln", ["-s", scratch.root.appending("zeta").string, scratch.root.appending("link").string])
        #expect(try GroupDirectory.list(root: scratch.root).map(\.text) == ["Alpha", "beta.2", "zeta"])
    }

    @Test("a relative root is below the current folder")
    func relativeRoot() {
        let name = FilePath("no-such-folder-\(Syscalls.random())")
        do throws(StorageError) {
            _ = try GroupDirectory.open(root: name, name: GroupName("g"), access: .readWrite)
            Issue.record("it was opened")
        } catch {
            #expect(error.code == .notFound)
            #expect(error.path?.hasPrefix("/") == true)
            #expect(error.path?.hasSuffix(name.string) == true)
        }
    }
}
