// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// Reads secrets.
extension KeyringCalls {
    /// The number of messages in flight, so that the service encrypts the next items while this process decrypts.
    private static let messagesAhead = 3
    /// The number of items in the first message, in the largest one, and in the smallest one near the end. Messages are
    /// small at both ends, where one side must wait for the other.
    private static let (firstCount, largestCount, lastCount) = (8, 32, 4)
    /// The intended maximum size of an answer, whose size is predicted from the largest item in the previous answer.
    private static let messageByteCount = 16 << 20

    /// The result of `body` for the secret of each item, or ``SecretServiceError/Code/itemDamaged`` for an unreadable
    /// secret, which does not affect the others. Items that the service omits are missing from the result.
    ///
    /// - Throws: ``SecretServiceError/Code/locked``, and errors of the calls themselves.
    func secrets<Value>(
        of items: [KeyringItem],
        _ body: (RawSpan) -> Value
    ) throws(SecretServiceError) -> [String: Result<Value, SecretServiceError>] {
        try secrets(of: items, upTo: .max, body).values
    }

    /// Reads the secrets of the first items. Stops requesting once the secrets read exceed `byteCount` bytes, but still
    /// reads those already requested.
    ///
    /// - Returns: the results by path, and the number of items requested.
    func secrets<Value>(
        of items: [KeyringItem],
        upTo byteCount: Int,
        _ body: (RawSpan) -> Value
    ) throws(SecretServiceError) -> (values: [String: Result<Value, SecretServiceError>], count: Int) {
        if items.isEmpty { return ([:], 0) }
        if items.contains(where: \.isLocked) { throw SecretServiceError(.locked) }
        var contents = Contents<Value>()
        var rest = items[...]
        var calls: [(items: ArraySlice<KeyringItem>, call: BusCall)] = []
        var callCount = 0
        func askForMore() throws(SecretServiceError) {
            while calls.count < Self.messagesAhead, !rest.isEmpty, contents.byteCount < byteCount {
                let next = rest.prefix(itemCount(ofMessage: callCount, left: rest.count, largest: contents.largest))
                calls.append((next, try ask(for: next)))
                rest = rest[next.endIndex...]
                callCount += 1
            }
        }
        try askForMore()
        while !calls.isEmpty {
            let (asked, call) = calls.removeFirst()
            let answer = try answer(to: call)
            try askForMore()
            try take(answer, to: asked, into: &contents, body)
        }
        // Some services return an empty secret for a locked item.
        if contents.hasEmpty, try isLocked() { throw SecretServiceError(.locked) }
        if contents.hasText { session.isProven = true }
        if !session.isProven, !contents.hasEmpty, !contents.values.isEmpty, mayRenewSession {
            throw SecretServiceError(.sessionBroken)
        }
        return (contents.values, items.count - rest.count)
    }

    private func itemCount(ofMessage number: Int, left: Int, largest: Int) -> Int {
        if number == 0 { return Self.firstCount }
        let most = max(1, min(Self.largestCount, Self.messageByteCount / largest))
        return left > 2 * most ? most : min(most, max(Self.lastCount, (left + 1) / 2))
    }

    /// The secrets read so far.
    private struct Contents<Value> {
        var values: [String: Result<Value, SecretServiceError>] = [:]
        var hasEmpty = false
        var hasText = false
        var byteCount = 0
        /// The size of the largest item in the last answer; before the first answer, the maximum size of an item.
        var largest = 1 << 20
    }

    private func ask(for items: ArraySlice<KeyringItem>) throws(SecretServiceError) -> BusCall {
        let arguments = [BusValue.paths(items.map(\.path)), .path(session.session.path)]
        do throws(BusError) {
            return try session.connection.send(
                .getSecrets,
                at: BusName.secretsPath,
                of: session.owner,
                arguments: arguments,
                answer: "(a{o(oayays)})",
                limits: limits
            )
        } catch {
            throw SecretServiceError(bus: error)
        }
    }

    private func answer(to call: BusCall) throws(SecretServiceError) -> BusValue {
        do throws(BusError) {
            return try call.answer()[0]
        } catch {
            throw SecretServiceError(bus: error)
        }
    }

    private func take<Value>(
        _ answer: BusValue,
        to asked: ArraySlice<KeyringItem>,
        into contents: inout Contents<Value>,
        _ body: (RawSpan) -> Value
    ) throws(SecretServiceError) {
        let paths = Set(asked.map(\.path))
        var largest = 4096
        for index in 0..<answer.count {
            let entry = answer[index]
            guard let path = entry[0].text else { throw SecretServiceError(.protocolViolated) }
            // Skip an item that this message did not request.
            guard paths.contains(path) else { continue }
            let value = session.session.decode(entry[1]) { bytes in
                contents.byteCount += bytes.byteCount
                largest = max(largest, bytes.byteCount)
                contents.hasEmpty = contents.hasEmpty || bytes.byteCount == 0
                contents.hasText = contents.hasText || Base64.isText(bytes)
                return bytes.byteCount == 0 ? nil : body(bytes)
            }
            guard let value else {
                contents.values[path] = .failure(SecretServiceError(.itemDamaged, detail: "it cannot be decrypted"))
                continue
            }
            contents.values[path] = value.map { .success($0) } ?? .failure(SecretServiceError(.itemDamaged))
        }
        contents.largest = largest
    }
}
