// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension GroupExamination {
    /// Opens every record, as `cachetool verify` does; of a group larger than ``unaskedByteCount``, only that many
    /// bytes.
    mutating func records(of group: CacheGroup) {
        let (progress, checksAll, limit) = (progress, checksAllRecords, unaskedByteCount)
        var isLarge = false
        do throws(TokenCacheError) {
            do throws(TokenCacheError) {
                let summary = try group.verify { state in
                    isLarge = !checksAll && state.totalBytes ?? 0 > limit
                    return isLarge ? .cancel : progress?(state) ?? .proceed
                }
                note(summary, recordCount: summary.recordCount)
            } catch {
                guard error.code == .cancelled, isLarge else { throw error }
                let part = try group.verifyPart(byteCount: limit, progress: progress)
                note(part.summary, recordCount: part.recordCount)
            }
        } catch {
            // A keyring returns its items one by one, so reading them all may exceed the timeout.
            guard error.code == .timeout else { return note(.records, error) }
            note(
                .records,
                level: .note,
                text: "not all records could be opened before the timeout",
                advice: "Allow more time: cachetool doctor --timeout 60."
            )
        }
    }

    private mutating func note(_ summary: VerificationReport, recordCount: Int) {
        if let damage = summary.findings.first(where: \.isDamage) {
            let others = summary.findings.count(where: \.isDamage) - 1
            let more = others == 0 ? "" : ", and \(others) more"
            note(
                .records,
                level: .problem,
                text: "\(damage.description)\(more)",
                advice: "cachetool repair saves what can be saved; cachetool verify lists all damage."
            )
        } else if summary.recordCount < recordCount {
            note(
                .records,
                level: .note,
                text: "\(summary.recordCount) of \(recordCount) records were opened, and can be read",
                advice: "cachetool doctor --full opens them all."
            )
        } else {
            let text = recordCount == 1 ? "its record" : "all \(recordCount) records"
            note(.records, level: .fine, text: "\(text) can be read")
        }
    }
}
