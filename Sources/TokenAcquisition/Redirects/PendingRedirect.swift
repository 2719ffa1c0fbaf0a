// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import Synchronization

/// The wait for the single response that ends a sign-in.
final class PendingRedirect: Sendable {
    typealias Judge = @Sendable (RedirectResponse) -> RedirectVerdict
    typealias Answer = @Sendable (RedirectVerdict) -> Void

    private enum State {
        /// Responses that arrived before the caller began to wait.
        case early([(response: RedirectResponse, answer: Answer)])
        case waiting(Judge, CheckedContinuation<Result<RedirectResponse, AcquisitionError>, Never>)
        case over
    }

    private static let mostEarlyResponses = 16
    private let state = Mutex(State.early([]))

    /// Accepts a request to the redirect URI. Calls `answer` once: at once, or when the caller begins to wait.
    func submit(_ response: RedirectResponse, answer: @escaping Answer) {
        typealias Waiter = CheckedContinuation<Result<RedirectResponse, AcquisitionError>, Never>
        let (verdict, waiter): (RedirectVerdict?, Waiter?) = state.withLock { state in
            switch state {
            case .early(let responses):
                guard responses.count < Self.mostEarlyResponses else { return (.foreign, nil) }
                state = .early(responses + [(response, answer)])
                return (nil, nil)
            case .waiting(let judge, let continuation):
                let verdict = judge(response)
                guard verdict != .foreign else { return (.foreign, nil) }
                state = .over
                return (verdict, continuation)
            case .over: return (.foreign, nil)
            }
        }
        // Answer the sender first, because the waiting caller then ends the session. Do it outside the lock: the
        // handler of a cancelled task takes this lock while holding one that resuming the task needs.
        if let verdict { answer(verdict) }
        waiter?.resume(returning: .success(response))
    }

    /// Waits for a response that is not foreign.
    func response(judging judge: @escaping Judge) async throws(AcquisitionError) -> RedirectResponse {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let early: [(response: RedirectResponse, answer: Answer)]? = state.withLock { state in
                    guard case .early(let responses) = state else { return nil }
                    state = .waiting(judge, continuation)
                    return responses
                }
                guard let early else {
                    continuation.resume(returning: .failure(AcquisitionError(.cancelled)))
                    return
                }
                for (response, answer) in early { submit(response, answer: answer) }
            }
        } onCancel: {
            end()
        }
        return try result.get()
    }

    /// Ends the wait. Later responses are foreign.
    func end() {
        let ended = state.withLock { state in
            defer { state = .over }
            return state
        }
        switch ended {
        case .early(let responses): for (_, answer) in responses { answer(.foreign) }
        case .waiting(_, let continuation): continuation.resume(returning: .failure(AcquisitionError(.cancelled)))
        case .over: break
        }
    }
}
#endif
