// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The client's connections to its environment, replaceable for tests, sandboxes, and applications with an HTTP stack
/// of their own.
public struct Services: Sendable {
    /// Sends requests.
    public var transport: any Transport

    /// The clock that decides when tokens and metadata have expired.
    public var clock: WallClock

    /// Waits for the given time. Throws if the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// The broker of this machine, which the client asks for tokens before it redeems a refresh token; nil by default.
    public var broker: (any Broker)?

    /// Shows the server's pages. Nil by default: interactive requests then fail.
    public var browser: (any Browser)?

    /// Receives the server's response through the browser. Nil by default: interactive requests then fail.
    public var redirectListener: (any RedirectListener)?

    /// Called after each request and each call, except for silent requests that the cache satisfies, on the thread that
    /// made it: return at once. Nil by default.
    public var onEvent: (@Sendable (AcquisitionEvent) -> Void)?

    /// Creates services.
    ///
    /// - Parameters:
    ///   - transport: sends requests.
    ///   - clock: the clock; use the one that the cache was opened with.
    ///   - sleep: waits, and throws if the task is cancelled.
    public init(
        transport: any Transport,
        clock: WallClock = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.transport = transport
        self.clock = clock
        self.sleep = sleep
    }
}

extension Services {
    #if SignIn
    /// The system's services: the network through ``HTTPTransport``, the clock, the user's browser through
    /// ``SystemBrowser``, and ``LoopbackListener``. All clients that use these services share one transport. Transport and
    /// browser use the environment of the process at the first access.
    public static let system: Services = {
        var services = Services(transport: HTTPTransport())
        services.browser = SystemBrowser()
        services.redirectListener = LoopbackListener()
        return services
    }()
    #else
    /// The system's services: only with the package trait `SignIn`.
    @available(
        *,
        unavailable,
        message: """
            this needs the package trait SignIn: add traits: ["SignIn"] to the dependency on swift-token-cache, \
            or create Services with a Transport of your own
            """
    )
    // Unreachable: code that uses an unavailable declaration does not compile.
    public static var system: Services { fatalError() }
    #endif
}

extension Services {
    /// Sends a request, and converts the transport's errors to the client's.
    func send(
        _ request: TransportRequest,
        _ correlationID: CorrelationID? = nil
    ) async throws(AcquisitionError) -> TransportResponse {
        try await reporting(.request, correlationID, status: \.status) { () async throws(AcquisitionError) in
            do throws(TransportError) {
                return try await transport.send(request)
            } catch {
                throw AcquisitionError(error.code == .cancelled ? .cancelled : .networkFailed) { facts in
                    facts.transportError = error
                    facts.detail = (try? WebAddress(request.url))?.authority
                }
            }
        }
    }

    /// Waits.
    func wait(_ duration: Duration) async throws(AcquisitionError) {
        do {
            try await sleep(duration)
        } catch {
            throw AcquisitionError(.cancelled)
        }
        if Task.isCancelled { throw AcquisitionError(.cancelled) }
    }
}

extension Services {
    /// Makes a call, and reports it to the event handler. Its error has the correlation id.
    nonisolated(nonsending) func reporting<Result>(
        _ kind: AcquisitionEvent.Kind,
        _ correlationID: CorrelationID?,
        status: (Result) -> Int? = { _ in nil },
        _ call: nonisolated(nonsending) () async throws(AcquisitionError) -> Result
    ) async throws(AcquisitionError) -> Result {
        let start = ContinuousClock.now
        func report(_ status: Int?, _ code: AcquisitionError.Code?) {
            onEvent?(
                AcquisitionEvent(
                    kind: kind,
                    correlationID: correlationID,
                    duration: start.duration(to: .now),
                    status: status,
                    errorCode: code
                )
            )
        }
        do throws(AcquisitionError) {
            let result = try await call()
            report(status(result), nil)
            return result
        } catch {
            report(nil, error.code)
            throw error.changed { $0.correlationID = $0.correlationID ?? correlationID }
        }
    }
}
