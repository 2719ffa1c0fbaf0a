// SPDX-License-Identifier: Apache-2.0

import RecordStorage

/// The code that `body` fails with; `nil` where it does not fail.
func code<Result>(of body: () throws -> Result) -> StorageError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? StorageError)?.code
    }
}
