// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension GroupExamination {
    /// The most bytes that are read without being asked for: about a second.
    private static let unaskedByteCount: UInt64 = 64 << 20

    /// Opens every record, as `cachetool verify` does.
    mutating func records(of group: CacheGroup) {
        let (progress, checksAll) = (progress, checksAllRecords)
        do throws(TokenCacheError) {
            let summary = try group.verify { state in
                if !checksAll, state.totalBytes ?? 0 > Self.unaskedByteCount { return .cancel }
                return progress?(state) ?? .proceed
            }
            guard let damage = summary.findings.first(where: \.isDamage) else {
                let text = summary.recordCount == 1 ? "its record" : "all \(summary.recordCount) records"
                return note(.records, level: .fine, text: "\(text) can be read")
            }
            let others = summary.findings.count(where: \.isDamage) - 1
            let more = others == 0 ? "" : ", and \(others) more"
            note(
                .records,
                level: .problem,
                text: "\(damage.description)\(more)",
                advice: "cachetool repair saves what can be saved; cachetool verify lists all that is damaged."
            )
        } catch {
            let (why, advice): (String, String)
            switch error.code {
            case .cancelled:
                (why, advice) = ("they are larger than 64 MiB", "cachetool doctor --full opens them all.")
            case .timeout:
                // A keyring hands out its items one by one.
                (why, advice) = ("the time was over", "Allow more of it: cachetool doctor --timeout 60.")
            default: return note(.records, error)
            }
            note(.records, level: .note, text: "the records were not all opened, because \(why)", advice: advice)
        }
    }
}
