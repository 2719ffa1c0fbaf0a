internal import RecordStorage

/// Reading of secrets.
extension KeyringCalls {
    /// The most items in one message. Of many, the service encrypts the next ones while these are decrypted.
    private static let messageItemCount = 32
    private static let messagesAhead = 2

    /// What `body` makes of the secrets of some items, or ``SecretServiceError/Code/itemDamaged``.
    /// One that cannot be had keeps nobody from the others. Those that the service leaves out are missing in the result.
    ///
    /// - Throws: ``SecretServiceError/Code/locked``, and what the calls themselves meet.
    func secrets<Value>(
        of items: [KeyringItem],
        _ body: (RawSpan) -> Value
    ) throws(SecretServiceError) -> [String: Result<Value, SecretServiceError>] {
        if items.isEmpty { return [:] }
        if items.contains(where: \.isLocked) { throw SecretServiceError(.locked) }
        var contents = Contents<Value>()
        var rest = items[...]
        var calls: [BusCall] = []
        repeat {
            while calls.count < Self.messagesAhead, !rest.isEmpty {
                calls.append(try ask(for: rest.prefix(Self.messageItemCount)))
                rest = rest.dropFirst(Self.messageItemCount)
            }
            try take(answer(to: calls.removeFirst()), into: &contents, body)
        } while !calls.isEmpty
        // An empty secret is what some services give for a locked item.
        if contents.hasEmpty, try isLocked() { throw SecretServiceError(.locked) }
        if contents.hasText { session.isProven = true }
        if !session.isProven, !contents.hasEmpty, !contents.values.isEmpty, mayRenewSession {
            throw SecretServiceError(.sessionUseless)
        }
        return contents.values
    }

    /// What was read so far.
    private struct Contents<Value> {
        var values: [String: Result<Value, SecretServiceError>] = [:]
        var hasEmpty = false
        var hasText = false
    }

    private func ask(for items: ArraySlice<KeyringItem>) throws(SecretServiceError) -> BusCall {
        let arguments = [BusValue.paths(items.map(\.path)), .path(session.session.path)]
        do throws(BusError) {
            return try session.connection.send(
                .getSecrets,
                at: BusName.secretsPath,
                of: session.owner,
                arguments,
                answer: "(a{o(oayays)})",
                limits
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
        into contents: inout Contents<Value>,
        _ body: (RawSpan) -> Value
    ) throws(SecretServiceError) {
        for index in 0..<answer.count {
            let entry = answer[index]
            guard let path = entry[0].text else { throw SecretServiceError(.protocolViolated) }
            let value = session.session.decode(entry[1]) { bytes in
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
    }
}
