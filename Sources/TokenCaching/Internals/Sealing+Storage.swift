internal import RecordStorage
internal import Sealing

/// Runs `body` and says what sealing threw in a store's terms.
@inline(__always)
func sealing<Result: ~Copyable>(_ body: () throws(SealingError) -> Result) throws(StorageError) -> Result {
    do throws(SealingError) {
        return try body()
    } catch {
        throw StorageError(error)
    }
}

/// Runs `body` and says what a store threw in the terms of the public interface.
@inline(__always)
func storing<Result: ~Copyable>(_ body: () throws(StorageError) -> Result) throws(TokenCacheError) -> Result {
    do throws(StorageError) {
        return try body()
    } catch {
        throw TokenCacheError(error)
    }
}
