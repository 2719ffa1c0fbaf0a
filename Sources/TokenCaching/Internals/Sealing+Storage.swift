internal import RecordStorage

/// Runs `body` and says what a store threw in the terms of the public interface.
@inline(__always)
func storing<Result: ~Copyable>(_ body: () throws(StorageError) -> Result) throws(TokenCacheError) -> Result {
    do throws(StorageError) {
        return try body()
    } catch {
        throw TokenCacheError(error)
    }
}
