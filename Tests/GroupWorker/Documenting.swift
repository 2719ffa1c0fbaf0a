// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import TokenCaching

/// Reads and merges documents for a library in another process, a line each way: "read CLIENT" is answered with the document,
/// and "merge DOCUMENT" with what was done.
final class Documenting {
    private let group: CacheGroup
    private var document: CacheDocument?

    init(_ options: Options) throws(TokenCacheError) {
        group = try CacheGroup.open(
            options.group,
            root: options.root,
            storage: Session.storage(options.storage),
            access: .create,
            timeout: .milliseconds(options.timeout)
        )
    }

    func answer() throws(TokenCacheError) {
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2 else { giveUp("no words: \(line)") }
            switch words[0] {
            case "read":
                let read = try group.document(for: String(words[1]))
                say(try read.withBytes { (bytes) throws(TokenCacheError) in Self.text(bytes) })
                document = consume read
            case "merge":
                let edited = Array(words[1].utf8)
                // SAFETY: a byte has no padding.
                guard let report = try document?.merge(unsafe edited.span.bytes) else { giveUp("nothing was read") }
                say(
                    "written \(report.writtenCount) removed \(report.removedCount) "
                        + "signed-out \(report.signedOutCount) refused \(report.refusedCount)"
                )
            default: giveUp("unknown word \(words[0])")
            }
        }
    }

    private static func text(_ bytes: RawSpan) -> String {
        // SAFETY: the buffer is read only while it is lent.
        unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
