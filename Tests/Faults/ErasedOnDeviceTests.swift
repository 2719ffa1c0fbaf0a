// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// Files are read back through the kernel's cache, so only the device shows whether something is gone.
@Suite(
    "what the disk keeps of removed tokens",
    .serialized,
    .timeLimit(.minutes(20)),
    .enabled(if: Root.isHere, "needs root to mount")
)
struct ErasedOnDeviceTests {
    /// What removes tokens, or the keys that open them.
    enum Removal: String, CaseIterable, Sendable {
        case signOut, clearAccount, clearAll, rekey, removeGroup

        /// The arguments of cachetool.
        var arguments: String {
            switch self {
            case .signOut: "sign-out user1@example.com --client \(SizedCache.client) --yes"
            case .clearAccount: "clear --account user1@example.com --yes"
            case .clearAll: "clear --all --yes"
            case .rekey: "rekey --yes"
            case .removeGroup: "groups remove --yes"
            }
        }

        /// The arguments that overwrite the same secrets in place, in a copy of the group, which shows where they are.
        var inPlace: String {
            removesAccount ? arguments : "clear --client \(SizedCache.client) --yes"
        }

        var removesAccount: Bool { self == .signOut || self == .clearAccount }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let removal: Removal
        let device: Device
        let cache: SizedCache

        var testDescription: String { "\(removal), \(device), \(cache.accountCount) accounts" }
    }

    static let cases: [Case] = Device.allCases.filter { $0 != .ext4WithDataInItsJournal }.flatMap { device in
        (Scale.isRelease ? [SizedCache.small, .medium, .large] : [.small, .medium]).flatMap { cache in
            Removal.allCases.map { Case(removal: $0, device: device, cache: cache) }
        }
    }

    @Test("all of it before the removal, and nothing afterwards", arguments: cases)
    func erased(example: Case) throws {
        let found = try Found(example.removal, on: example.device, example.cache)
        found.expectAllBefore(example.cache, example.removal)
        #expect(found.secretsAfter == 0, "\(found)")
        if !example.removal.removesAccount {
            #expect(found.keyAfter == 0 && found.slotsAfter == 0, "\(found)")
        }
    }

    @Test("after a compaction, a change of keys leaves no key slots and no key file of the older journals")
    func compacted() throws {
        for device in [Device.ext4, .xfs] {
            let found = try Found(.rekey, on: device, .small, after: "compact")
            found.expectAllBefore(.small, .rekey)
            #expect(found.keyAfter == 0 && found.slotsAfter == 0, "\(found)")
            // Documented: the older journals are still there, and no key opens them.
            print("after a compaction and a change of keys: \(found)")
        }
    }

    @Test("after a compaction, what a sign-out leaves is counted")
    func signedOutAfterCompaction() throws {
        let found = try Found(.signOut, on: .ext4, .small, after: "compact")
        found.expectAllBefore(.small, .signOut)
        print("after a compaction and a sign-out: \(found)")
    }

    @Test("with data=journal, what the file system's own journal keeps is counted", arguments: Removal.allCases)
    func dataJournal(removal: Removal) throws {
        let found = try Found(removal, on: .ext4WithDataInItsJournal, .small)
        found.expectAllBefore(.small, removal)
        print("with data=journal, \(removal): \(found)")
    }
}

/// What was found on a device before and after a removal.
struct Found: CustomStringConvertible {
    private(set) var secretCount = 0
    private(set) var secretsBefore = 0
    private(set) var secretsAfter = 0
    private(set) var slotCount = 0
    private(set) var slotsBefore = 0
    private(set) var slotsAfter = 0
    private(set) var keyBefore = 0
    private(set) var keyAfter = 0

    var description: String {
        "secrets: \(secretsBefore) of \(secretCount) before and \(secretsAfter) after; key slots: \(slotsBefore) of "
            + "\(slotCount) before and \(slotsAfter) after; key file: \(keyBefore) before and \(keyAfter) after"
    }

    /// Imports a cache, runs `preparation` on the group, and removes.
    init(
        _ removal: ErasedOnDeviceTests.Removal,
        on device: Device,
        _ cache: SizedCache,
        after preparation: String? = nil
    )
        throws
    {
        let root = try ScratchRoot()
        let scene = try ScratchRoot()
        try cache.document().write(to: URL(filePath: scene.path + "/cache.json"))
        let outcome = try Program(path: "/usr/bin/unshare").run(
            [
                "--mount", "/bin/bash", "-uc",
                """
                root=$1; cachetool=$2; scene=$3; image=$scene/image
                trap 'umount "$root" 2>/dev/null' EXIT
                on() { where=$1; shift; "$cachetool" "$@" --root "$where" --group test >/dev/null || exit 1; }
                { \(device.making) && \(device.mounting) && chmod 700 "$root"; } || exit 1
                on "$root" import "$scene/cache.json"
                cp "$root/test/journal" "$scene/journal"; cp "$root"/.keys/* "$scene/key"
                mkdir -m 700 "$scene/copy"; cp -a "$root/test" "$root/.keys" "$scene/copy"
                \(preparation.map { #"on "$root" \#($0)"# } ?? "")
                umount "$root"; cp --sparse=always "$image" "$scene/before"; \(device.mounting) || exit 1
                exec 9<"$scene/copy/test/journal"
                on "$scene/copy" \(removal.inPlace)
                cat <&9 >"$scene/overwritten"
                on "$root" \(removal.arguments)
                cat "$root/test/journal" >"$scene/new" 2>/dev/null
                echo removed
                """,
                "bash", root.path, Program.cachetool.path, scene.path,
            ],
            within: .seconds(600)
        )
        guard outcome.exitCode == 0, outcome.text == "removed" else {
            throw Unfit(reason: "the tokens were not removed on \(device): \(outcome.text) \(outcome.messages)")
        }
        func content(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: scene.path + "/" + name)) }
        let (before, after) = (scene.path + "/before", scene.path + "/image")
        let journal = try content("journal")
        // A new journal begins like the old one, whose header and its copy are overwritten too.
        let header = Pieces(journal) { $0 < 4096 }
        let secrets = Pieces(of: journal, overwrittenIn: try content("overwritten")).subtracting(header)
        (secretCount, secretsBefore, secretsAfter) =
            (secrets.count, try secrets.count(in: before), try secrets.count(in: after))
        // The header is the first page; its slots are between the fixed fields and the hash. A compaction keeps them, and
        // new ones have the kind and the name of the key like those before.
        let isSlot = { (offset: Int) in (128..<4064).contains(offset) }
        let kept = removal.removesAccount ? Pieces(Data()) : Pieces(try content("new"), where: isSlot)
        let slots = Pieces(journal, where: isSlot).subtracting(kept)
        (slotCount, slotsBefore, slotsAfter) = (slots.count, try slots.count(in: before), try slots.count(in: after))
        let key = Pieces(try content("key"))
        (keyBefore, keyAfter) = (try key.count(in: before), try key.count(in: after))
    }

    /// Without this, finding nothing would prove nothing.
    func expectAllBefore(_ cache: SizedCache, _ removal: ErasedOnDeviceTests.Removal) {
        let tokenCount = removal.removesAccount ? cache.tokenCount : cache.tokenCount * cache.accountCount
        // A piece at either end of a token may be partly of its neighbour.
        #expect(secretCount >= tokenCount * (cache.tokenByteCount / 32 - 2), "\(self)")
        #expect(secretsBefore == secretCount && slotsBefore == slotCount && slotCount > 2 && keyBefore == 1, "\(self)")
    }
}

/// A cache with accounts that have the same number of access tokens, of the same size.
struct SizedCache: Sendable {
    let accountCount: Int
    let tokenCount: Int
    let tokenByteCount: Int

    static let client = "6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44"

    /// One transaction.
    static let small = SizedCache(accountCount: 4, tokenCount: 9, tokenByteCount: 1600)
    /// More than fits into a transaction.
    static let medium = SizedCache(accountCount: 12, tokenCount: 20, tokenByteCount: 50_000)
    /// 100 MB.
    static let large = SizedCache(accountCount: 40, tokenCount: 20, tokenByteCount: 125_000)

    func document() throws -> Data {
        let realm = "3f0c1a5e-8a0d-4b7e-9c52-6a4d1be2f7a1"
        var document: [String: [String: [String: String]]] = ["AccessToken": [:], "Account": [:]]
        for number in 0..<accountCount {
            let account = [
                "home_account_id": "user\(number).\(realm)", "environment": "login.microsoftonline.com", "realm": realm,
            ]
            let own = [
                "local_account_id": "user\(number)", "username": "user\(number)@example.com", "authority_type": "MSSTS",
            ]
            document["Account"]?["user\(number).\(realm)-login.microsoftonline.com-\(realm)"] =
                account.merging(own) { $1 }
            for token in 0..<tokenCount {
                let key =
                    "user\(number).\(realm)-login.microsoftonline.com-accesstoken-\(Self.client)-\(realm)-s\(token).read"
                let entry = [
                    "credential_type": "AccessToken", "client_id": Self.client, "target": "S\(token).Read",
                    "secret": "token-\(number)-\(token)-" + String(repeating: "x", count: tokenByteCount),
                    "token_type": "Bearer", "cached_at": "1790000000", "expires_on": "4102444800",
                    "extended_expires_on": "4102444800",
                ]
                document["AccessToken"]?[key] = account.merging(entry) { $1 }
            }
        }
        return try JSONSerialization.data(withJSONObject: document)
    }
}
