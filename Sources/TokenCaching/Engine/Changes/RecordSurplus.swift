internal import RecordStorage

extension Array<StoredRecord> {
    /// Those that have to go, the first ones first, so that with one more there are at most `limit`. Others, which stay in any
    /// case, count, too.
    func surplus(beside otherCount: Int, limit: Int) -> ArraySlice<StoredRecord> {
        prefix(Swift.max(0, count + otherCount + 1 - limit))
    }
}
