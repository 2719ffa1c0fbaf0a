internal import ByteOperations
internal import RecordStorage

/// Reading of secrets.
extension KeyringCalls {
    /// How many messages are under way: the service encrypts the next items while these are decrypted.
    private static let messagesAhead = 3
    /// How many items a message asks for: in the first one, at most, and at least near the end. Few at either end, where one
    /// side has to wait for the other.
    private static let (firstCount, largestCount, lastCount) = (8, 32, 4)
    /// What an answer may hold, judged by the largest item of the one before.
    private static let messageByteCount = 16 << 20

    /// What `body` makes of the secrets of some items, or ``SecretServiceError/Code/itemDamaged``.
    /// One that cannot be had keeps nobody from the others. Those that the service leaves out are missing in the result.
    ///
    /// - Throws: ``SecretServiceError/Code/locked``, and what the calls themselves meet.
    func secrets<Value>(
        of items: [KeyringItem],
        _ body: (RawSpan) -> Value
    ) throws(SecretServiceError) -> [String: Result<Value, SecretServiceError>] {
        try secrets(of: items, upTo: .max, body).values
    }

    /// The same of the first items. Asks for no more once the secrets that were read have `byteCount` bytes; what was asked
    /// for by then is read too.
    ///
    /// - Returns: also how many items were asked for.
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
        // An empty secret is what some services give for a locked item.
        if contents.hasEmpty, try isLocked() { throw SecretServiceError(.locked) }
        if contents.hasText { session.isProven = true }
        if !session.isProven, !contents.hasEmpty, !contents.values.isEmpty, mayRenewSession {
            throw SecretServiceError(.sessionUseless)
        }
        return (contents.values, items.count - rest.count)
    }

    private func itemCount(ofMessage number: Int, left: Int, largest: Int) -> Int {
        if number == 0 { return Self.firstCount }
        let most = max(1, min(Self.largestCount, Self.messageByteCount / largest))
        return left > 2 * most ? most : min(most, max(Self.lastCount, (left + 1) / 2))
    }

    /// What was read so far.
    private struct Contents<Value> {
        var values: [String: Result<Value, SecretServiceError>] = [:]
        var hasEmpty = false
        var hasText = false
        var byteCount = 0
        /// The largest item of the last answer. Until there is one, as large as an item can be.
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
            // Another message asks for it, or none.
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
