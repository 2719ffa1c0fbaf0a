// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// File systems that are filled to the last block while a group lies on them.
@Suite("full file systems", .serialized, .timeLimit(.minutes(10)), .enabled(if: Root.isHere, "needs root to mount"))
struct FullFileSystemTests {
    /// A file system of its own, in a file. They differ in what overwriting takes when there is no room.
    enum Kind: String, CaseIterable, Sendable {
        case btrfs, mixedBtrfs, xfsWithCopy, ext4, tmpfs

        /// Makes the file system in the file `$image` and mounts it on `$root`.
        var mounting: String {
            switch self {
            case .btrfs:
                #"truncate -s 120M "$image"; mkfs.btrfs -q -m single -d single "$image"; mount -o loop "$image" "$root""#
            case .mixedBtrfs:
                #"truncate -s 64M "$image"; mkfs.btrfs -q --mixed "$image"; mount -o loop "$image" "$root""#
            case .xfsWithCopy:
                #"truncate -s 320M "$image"; mkfs.xfs -q -m reflink=1 "$image"; mount -o loop "$image" "$root""#
            case .ext4: #"truncate -s 24M "$image"; mkfs.ext4 -q -m 0 "$image"; mount -o loop "$image" "$root""#
            case .tmpfs: #"mount -t tmpfs -o size=4m tmpfs "$root""#
            }
        }

        /// Whether overwriting takes no room, so that removals work.
        var overwritesInPlace: Bool { self == .ext4 || self == .tmpfs }
    }

    private static let account = "adele.vance@contoso.example"
    private static let client = "6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44"

    @Test(
        "end no program: each command succeeds or says that the disk is full, and nothing is lost",
        arguments: Kind.allCases
    )
    func filled(kind: Kind) throws {
        let root = try ScratchRoot()
        let outcome = try Program(path: "/usr/bin/unshare").run(
            [
                "--mount", "/bin/bash", "-uc",
                """
                root=$1; cachetool=$2; sample=$3; image=$1.image
                trap 'umount "$root" 2>/dev/null; rm -f "$image"' EXIT
                { \(kind.mounting); } || exit 1
                chmod 700 "$root"
                run() {
                    name=$1; shift
                    "$cachetool" "$@" --root "$root" --group test >"/dev/shm/$$.out" 2>"/dev/shm/$$.err"; code=$?
                    echo "$name: $code $(tr '\\n' ' ' <"/dev/shm/$$.err")"
                }
                count() { "$cachetool" list --json --root "$root" --group test | grep -o '"kind"' | wc -l; }
                run first import "$sample"
                # What is the newest: an opening then looks whether its secrets are overwritten.
                run earlier sign-out someone@outlook.example --client \(Self.client) --yes
                sed 's/1790000000/1790000001/' "$sample" >"$root/newer.json"
                \(kind == .xfsWithCopy ? #"cp -r --reflink=always "$root/test" "$root/.copy""# : "")
                echo "before: $(count)"
                mkdir "$root/.filler"
                for turn in 1 2; do
                    for size in 1M 64k 4k 1; do
                        dd if=/dev/zero of="$root/.filler/$turn.$size" bs=$size count=100000 2>/dev/null; sync -f "$root"
                    done
                done
                for number in $(seq 2000); do
                    dd if=/dev/zero of="$root/.filler/$number" bs=4k count=1 conv=fsync 2>/dev/null || break
                done
                lookup="lookup --account \(Self.account) --client \(Self.client) --scopes User.Read"
                run lookup $lookup
                run import import "$root/newer.json"
                run compact compact
                run rekey rekey --yes
                run accounts accounts
                echo "full: $(count)"
                run sign-out sign-out \(Self.account) --client \(Self.client) --yes
                run accounts accounts
                run clear clear --all --yes
                run lookup $lookup
                run accounts accounts
                echo "after: $(count)"
                rm -r "$root/.filler"; sync -f "$root"
                run verify verify
                echo "again: $(count)"
                run import import "$root/newer.json"
                run clear clear --all --yes
                echo "cleared: $(count)"
                rm -f "/dev/shm/$$.out" "/dev/shm/$$.err"
                """,
                "bash", root.path, Program.cachetool.path, ScratchGroup.sample,
            ],
            within: .seconds(240)
        )
        var results: [(name: String, code: Int, messages: String)] = []
        for line in outcome.lines {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count >= 2, let code = Int(parts[1]) else { continue }
            results.append((String(parts[0].dropLast()), code, parts.count > 2 ? String(parts[2]) : ""))
        }
        let report = outcome.text + outcome.messages
        try #require(results.count == 20, "\(report)")
        func codes(_ name: String) -> [Int] { results.filter { $0.name == name }.map(\.code) }
        let before = try #require(codes("before").first)
        #expect(codes("first") == [0] && codes("earlier") == [0] && before > 10, "\(report)")
        #expect(codes("full") == [before], "\(report)")
        // Reading takes no room.
        #expect(codes("accounts") == [0, 0, 0], "\(report)")
        #expect(codes("lookup").first == 0, "\(report)")
        for (name, code, messages) in results where ["import", "compact", "rekey", "sign-out", "clear"].contains(name) {
            #expect(code == 0 || code == 1 && messages.contains("full"), "\(name): \(report)")
            #expect(!messages.contains("still work"), "\(messages)")
        }
        if kind.overwritesInPlace {
            #expect(codes("sign-out") == [0] && codes("clear").first == 0, "\(report)")
        }
        // What was acknowledged is so, and what was refused left everything as it was.
        if codes("clear").first == 0 {
            #expect(codes("after") == [0], "\(report)")
        } else if codes("sign-out") != [0] {
            #expect(codes("after") == [before], "\(report)")
        }
        #expect(codes("again") == codes("after"), "\(report)")
        #expect(codes("verify") == [0], "\(report)")
        #expect(codes("import").last == 0 && codes("clear").last == 0 && codes("cleared") == [0], "\(report)")
    }
}

@Suite("limits on the size of files")
struct FileSizeLimitTests {
    @Test("a command that reaches the limit says so, and nothing is lost")
    func limited() throws {
        let root = try ScratchRoot()
        let script = """
            on() { "$1" "${@:2}" --root "$root" --group test; }
            root=$1
            on "$2" import "$3" >/dev/null || exit 1
            on "$2" list --json >"$root/before"
            sed 's/1790000000/1790000001/' "$3" >"$root/newer.json"
            (ulimit -f 20; on "$2" import "$root/newer.json" >/dev/null; echo "import: $?")
            on "$2" list --json >"$root/after"; echo "list: $?"
            on "$2" verify >/dev/null; echo "verify: $?"
            cmp -s "$root/before" "$root/after"; echo "same: $?"
            """
        let outcome = try Program(path: "/bin/bash").run(
            ["-uc", script, "bash", root.path, Program.cachetool.path, ScratchGroup.sample]
        )
        #expect(outcome.lines == ["import: 1", "list: 0", "verify: 0", "same: 0"], "\(outcome.messages)")
        #expect(outcome.messages.contains("limit on file sizes"), "\(outcome.messages)")
    }
}
