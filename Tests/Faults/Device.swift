// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs

/// A file system in a file, which is read as the disk itself would be: without the kernel's cache, and with the blocks
/// that belong to no file.
enum Device: String, CaseIterable, Sendable {
    case ext4, ext4WithDataInItsJournal, xfs

    /// Makes the file system in the file `$image`.
    var making: String {
        switch self {
        case .ext4, .ext4WithDataInItsJournal: #"truncate -s 400M "$image" && mkfs.ext4 -q "$image""#
        case .xfs: #"truncate -s 600M "$image" && mkfs.xfs -q "$image""#
        }
    }

    /// Mounts it on `$root`.
    var mounting: String {
        switch self {
        case .ext4, .xfs: #"mount -o loop "$image" "$root""#
        case .ext4WithDataInItsJournal: #"mount -o loop,data=journal "$image" "$root""#
        }
    }
}

/// Bytes to look for on a device, in pieces that begin at multiples of 32. File systems begin files at such multiples too.
struct Pieces {
    /// The first eight bytes of each piece. Ciphertext and keys are random, so they identify it.
    private var starts: Set<UInt64>

    var count: Int { starts.count }

    private static let byteCount = 32

    /// The pieces of `data` for which `isWanted` is true, except zeros.
    init(_ data: Data, where isWanted: (_ offset: Int) -> Bool = { _ in true }) {
        var starts: Set<UInt64> = []
        Self.forEachPiece(of: data) { start, offset in
            if isWanted(offset) { starts.insert(start) }
        }
        self.starts = starts
    }

    /// The pieces of `old` that are zeros in `new`.
    init(of old: Data, overwrittenIn new: Data) {
        var written: Set<Int> = []
        Self.forEachWord(of: new) { offset in written.insert(offset / Self.byteCount) }
        self.init(old) { $0 + Self.byteCount <= new.count && !written.contains($0 / Self.byteCount) }
    }

    /// These pieces without those of `other`.
    func subtracting(_ other: Pieces) -> Pieces {
        var rest = self
        rest.starts.subtract(other.starts)
        return rest
    }

    /// How many of them the file at `path` contains.
    func count(in path: String) throws -> Int {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        var found: Set<UInt64> = []
        while let data = try file.read(upToCount: 16 << 20), !data.isEmpty {
            Self.forEachPiece(of: data) { start, _ in
                if starts.contains(start) { found.insert(start) }
            }
        }
        return found.count
    }

    /// Passes the first eight bytes of each piece to `body`, unless they are zeros.
    private static func forEachPiece(of data: Data, _ body: (_ start: UInt64, _ offset: Int) -> Void) {
        forEach(byteCount, of: data, body)
    }

    /// Passes the place of every eight bytes that are not zeros to `body`.
    private static func forEachWord(of data: Data, _ body: (_ offset: Int) -> Void) {
        forEach(8, of: data) { body($1) }
    }

    private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, unsafe bytes[0] == 0 else { return false }
        return unsafe memcmp(start, start + 1, bytes.count - 1) == 0
    }

    private static func forEach(_ step: Int, of data: Data, _ body: (_ start: UInt64, _ offset: Int) -> Void) {
        let pageByteCount = 4096
        // SAFETY: the offsets are within the bytes, which stay in the closure.
        unsafe data.withUnsafeBytes { bytes in
            for page in stride(from: 0, to: bytes.count, by: pageByteCount) {
                let end = min(page + pageByteCount, bytes.count)
                // Most of a device was never written.
                if unsafe isZero(UnsafeRawBufferPointer(rebasing: bytes[page..<end])) { continue }
                for offset in stride(from: page, through: end - step, by: step) {
                    let start = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    if start != 0 { body(start, offset) }
                }
            }
        }
    }
}
