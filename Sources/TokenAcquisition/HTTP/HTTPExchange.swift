// SPDX-License-Identifier: Apache-2.0

#if SignIn
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// One request, and its response.
struct HTTPExchange: Sendable {
    let request: TransportRequest
    let client: HTTPClient

    /// Sends the request and returns the response, within the timeout of the request.
    func response() async throws(TransportError) -> TransportResponse {
        let body = RequestBody(request.body)
        let result = await withTaskGroup(
            of: Result<TransportResponse, TransportError>?.self,
            returning: Result<TransportResponse, TransportError>.self
        ) { group in
            group.addTask { await attempt(sending: body) }
            group.addTask {
                try? await Task.sleep(for: request.timeout)
                return nil
            }
            defer { group.cancelAll() }
            var timeIsOver = false
            while let ended = await group.next() {
                switch ended {
                case .none:
                    timeIsOver = true
                    group.cancelAll()
                // A response that has arrived is never dropped: it may contain the only valid refresh token.
                case .failure(let error)? where timeIsOver && error.code == .cancelled && !Task.isCancelled:
                    return .failure(TransportError(.timeout, mayHaveBeenSent: error.mayHaveBeenSent))
                case .some(let result):
                    return result
                }
            }
            return .failure(TransportError(.timeout, mayHaveBeenSent: true))
        }
        return try result.get()
    }

    private func attempt(sending body: RequestBody) async -> Result<TransportResponse, TransportError> {
        do {
            let response = try await client.execute(head(with: body), deadline: .distantFuture)
            return .success(
                TransportResponse(
                    status: Int(response.status.code),
                    headers: response.headers.map { HTTPHeaderField($0.name, $0.value) },
                    body: try await bytes(of: response)
                )
            )
        } catch let error as TransportError {
            return .failure(error)
        } catch {
            return .failure(TransportError(error, bodyWasSent: body.wasSent, hasBody: !request.body.isEmpty))
        }
    }

    private func head(with body: RequestBody) -> HTTPClientRequest {
        var head = HTTPClientRequest(url: request.url)
        head.method = HTTPMethod(rawValue: request.method.name)
        for field in request.headers { head.headers.add(name: field.name, value: field.value) }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        if !request.body.isEmpty { head.body = .stream(body, length: .known(Int64(request.body.count))) }
        return head
    }

    private func bytes(of response: HTTPClientResponse) async throws -> [UInt8] {
        let limit = request.maximumResponseByteCount
        var bytes: [UInt8] = []
        for try await chunk in response.body {
            guard chunk.readableBytes <= limit - bytes.count else {
                throw TransportError(.responseTooLarge, mayHaveBeenSent: true)
            }
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        return bytes
    }
}

/// The body of a request, which records whether the client asked for it. The client does so only once there is a
/// connection, past TLS and the proxy.
final class RequestBody: AsyncSequence, Sendable {
    private let bytes: [UInt8]
    private let sent = Atomic(false)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether bytes were passed to a connection.
    var wasSent: Bool { sent.load(ordering: .acquiring) }

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let body: RequestBody
        private var isAtEnd = false

        fileprivate init(body: RequestBody) {
            self.body = body
        }

        mutating func next() async -> ByteBuffer? {
            guard !isAtEnd else { return nil }
            isAtEnd = true
            body.sent.store(true, ordering: .releasing)
            return ByteBuffer(bytes: body.bytes)
        }
    }
}
#endif
