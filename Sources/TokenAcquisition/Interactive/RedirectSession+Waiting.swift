// SPDX-License-Identifier: Apache-2.0

extension RedirectSession {
    /// Waits for the response until the deadline. The wait begins before the browser opens, so that a response is
    /// judged at once, however many other requests arrive.
    ///
    /// - Parameters:
    ///   - deadline: when to stop waiting.
    ///   - open: opens the browser. Its error ends the wait.
    ///   - judge: as for ``response(judging:)``.
    /// - Returns: the response that `judge` accepts as the answer.
    /// - Throws: `timeout`, `cancelled`, and the errors of `open` and of ``response(judging:)``.
    func response(
        until deadline: RequestDeadline,
        opening open: () async throws(AcquisitionError) -> Void,
        judging judge: @escaping @Sendable (RedirectResponse) -> RedirectVerdict
    ) async throws(AcquisitionError) -> RedirectResponse {
        let remaining = deadline.remaining
        typealias Outcome = Result<RedirectResponse, AcquisitionError>
        let outcome = await withTaskGroup(of: Outcome.self, returning: Outcome.self) { group in
            group.addTask {
                do throws(AcquisitionError) {
                    return .success(try await response(judging: judge))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do { try await Task.sleep(for: remaining) } catch { return .failure(AcquisitionError(.cancelled)) }
                return .failure(AcquisitionError(.timeout, detail: "the user did not return from the browser"))
            }
            defer { group.cancelAll() }
            do throws(AcquisitionError) { try await open() } catch { return .failure(error) }
            return await group.next() ?? .failure(AcquisitionError(.cancelled))
        }
        return try outcome.get()
    }
}
