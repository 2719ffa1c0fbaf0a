// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Synchronization
import Testing

@testable import ToolInterface

@Suite("The file of profiles")
struct ProfileFileTests {
    private let root: ScratchRoot
    private var path: String { root.path + "/config/swift-token-cache/profiles" }

    init() throws {
        root = try ScratchRoot()
    }

    private func write(_ text: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    private func work(_ client: String = "notes") -> Profile {
        var profile = Profile("work")
        profile.add("client", client)
        profile.add("parameter", "a=1")
        profile.add("parameter", "b = 2")
        return profile
    }

    @Test("a saved profile is read again, from a private file in a private folder")
    func saving() throws {
        try ProfileFile.save(work(), at: path)
        let profile = try #require(try ProfileFile(at: path)["work"])
        #expect(
            profile.options.map { "\($0.name)=\($0.value)" } == ["client=notes", "parameter=a=1", "parameter=b = 2"]
        )
        let files = FileManager.default
        #expect(try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try files.attributesOfItem(atPath: root.path + "/config")[.posixPermissions] as? Int == 0o700)
        #expect(try files.contentsOfDirectory(atPath: root.path + "/config/swift-token-cache") == ["profiles"])
    }

    @Test("saving a profile leaves comments and other profiles as a person wrote them")
    func replacing() throws {
        let before = "# mine\n\n[work]\nclient = old\n# about home\n[home]\n  scopes   =  a  b \n"
        try write(before)
        try ProfileFile.save(work("new"), at: path)
        let after = try String(contentsOfFile: path, encoding: .utf8)
        #expect(after == before.replacing("client = old", with: "client = new\nparameter = a=1\nparameter = b = 2"))
        #expect(try ProfileFile(at: path)["home"]?["scopes"] == "a  b")
    }

    @Test("an update changes only the lines of its options, whatever the editor of the file")
    func updating() throws {
        try write("\u{FEFF}[work]\r\n# mine\r\nclient = notes\r\naccount=old\r\n[home]\r\naccount = other\r\n")
        try ProfileFile.update("work", [("account", "new"), ("login-hint", "ada")], at: path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == "[work]\nlogin-hint = ada\n# mine\nclient = notes\naccount = new\n[home]\naccount = other\n")
        try ProfileFile.update("nobody", [("account", "new")], at: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test("a link to the file stays a link")
    func link() throws {
        try write("")
        let target = root.path + "/dotfile"
        try FileManager.default.moveItem(atPath: path, toPath: target)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        try ProfileFile.save(work(), at: path)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
        #expect(try ProfileFile(at: target)["work"] != nil)
    }

    @Test("profiles that many threads save at once are all kept")
    func concurrency() async throws {
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask { [path] in try? ProfileFile.save(Profile("p\(number)"), at: path) }
            }
        }
        #expect(Set(try ProfileFile(at: path).profiles.map(\.name)) == Set((0..<20).map { "p\($0)" }))
    }

    @Test("a value with a line break is refused, and the file stays")
    func lineBreak() throws {
        try ProfileFile.save(work(), at: path)
        var profile = work()
        profile.add("scopes", "a\nclient-secret-file = /etc/passwd")
        #expect(throws: CommandFailure.self) { try ProfileFile.save(profile, at: path) }
        #expect(try ProfileFile(at: path)["work"]?["scopes"] == nil)
    }

    @Test(
        "an invalid line is named by its number and by what is wrong",
        arguments: [
            ("client = notes\n", 1, "the name of a profile"),
            ("[work\n", 1, "a profile begins with its name in brackets"),
            ("[Work]\n", 1, "a profile begins"), ("[work] x\n", 1, "a profile begins"), ("[]\n", 1, "a profile begins"),
            ("[a]\n\n#\n[a]\n", 4, "another profile a above"), ("[a]\nclient\n", 2, "NAME = VALUE"),
            ("[a]\nclinet = b\n", 2, "did you mean client?"),
            ("[a]\nclient-secret = b\n", 2, "no option client-secret"),
            ("[a]\nclient =\n", 2, "client is empty"), ("[a]\nroot = ~/groups\n", 2, "root has to begin with a slash"),
            ("#\r\n[a]\r\nstorage = cloud\r\n", 3, "storage is one of automatic,"),
            ("[a]\nclient = b\nclient = c\n", 3, "client is given twice"),
        ]
    )
    func invalidLine(text: String, line: Int, problem: String) throws {
        try write(text)
        let failure = #expect(throws: CommandFailure.self) { try ProfileFile(at: path) }
        #expect(failure?.message.hasPrefix("Line \(line) of \(path): ") == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains(problem) == true, "\(failure?.message ?? "")")
    }

    @Test(
        "a file that is no private text is refused with a way out",
        arguments: ["writable", "folder", "fifo", "latin1", "large"]
    )
    func unsuitableFile(kind: String) throws {
        try write("")
        switch kind {
        case "writable": try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        case "latin1": try Data([0x23, 0xE4]).write(to: URL(filePath: path))
        case "large": try Data(count: 2 << 20).write(to: URL(filePath: path))
        default:
            try FileManager.default.removeItem(atPath: path)
            if kind == "folder" {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            } else {
                try #require(unsafe mkfifo(path, 0o600) == 0)
            }
        }
        let failure = #expect(throws: CommandFailure.self) { try ProfileFile(at: path) }
        #expect(failure?.status == (kind == "writable" ? .permission : .failure))
        #expect(failure?.message.contains(kind == "writable" ? "chmod 600 \(path)" : "ove it away") == true)
    }

    @Test(
        "names are short and plain",
        arguments: [
            ("work", true), ("a", true), ("w-1_x", true), ("", false), ("Work", false), ("1a", false), ("-a", false),
            ("a.b", false),
            ("ä", false), ("a b", false), (String(repeating: "a", count: 32), true),
            (String(repeating: "a", count: 33), false),
        ]
    )
    func name(text: String, isName: Bool) {
        #expect(Profile.isName(text) == isName)
    }
}
