internal import RecordStorage

/// The calls of one job. Confined to the thread of its client, and not to be kept beyond the job.
struct KeyringCalls {
    private let session: KeyringSession
    private let limits: CallLimits
    private let prompts: PromptPolicy
    private let noteChanges: (Int) -> Void

    /// Prompts that no person has to answer end within this time. No other ones are waited for under a lock.
    private static let quickPrompt: Int32 = 1000

    init(
        _ session: KeyringSession,
        _ limits: CallLimits,
        _ prompts: PromptPolicy,
        noteChanges: @escaping (Int) -> Void
    ) {
        self.session = session
        self.limits = limits
        self.prompts = prompts
        self.noteChanges = noteChanges
    }

    // MARK: - Reading

    /// Whether the collection is locked.
    func isLocked() throws(SecretServiceError) -> Bool {
        do throws(SecretServiceError) {
            return try property("Locked", of: BusMethod.collectionInterface, at: session.collection)
        } catch {
            throw error.code == .itemMissing ? SecretServiceError(.collectionMissing) : error
        }
    }

    /// The items of the collection that have these attributes, and maybe more.
    ///
    /// - Throws: ``SecretServiceError/Code/locked`` where nothing is found and the collection is locked: what is in it
    ///   is not known then.
    func search(_ attributes: [(key: String, value: String)]) throws(SecretServiceError) -> [KeyringItem] {
        let answer = try read(.searchItems, at: BusName.secretsPath, [.texts(attributes)], "(aoao)")
        let prefix = session.collection + "/"
        func items(_ paths: BusValue, isLocked: Bool) -> [KeyringItem] {
            paths.texts.filter { $0.hasPrefix(prefix) }.map { KeyringItem(path: $0, isLocked: isLocked) }
        }
        let found = items(answer[0], isLocked: false) + items(answer[1], isLocked: true)
        // Some services find nothing in a locked collection, instead of saying so.
        if found.isEmpty, try isLocked() { throw SecretServiceError(.locked) }
        return found
    }

    /// What `body` makes of the secrets of some items, got in one call. Those that the service leaves out are missing in
    /// the result.
    func secrets<Value>(
        of items: [KeyringItem],
        _ body: (RawSpan) throws(SecretServiceError) -> Value
    ) throws(SecretServiceError) -> [String: Value] {
        if items.isEmpty { return [:] }
        if items.contains(where: \.isLocked) { throw SecretServiceError(.locked) }
        let answer = try read(
            .getSecrets,
            at: BusName.secretsPath,
            [.paths(items.map(\.path)), .path(session.session.path)],
            "(a{o(oayays)})"
        )[0]
        var values: [String: Value] = [:]
        for index in 0..<answer.count {
            let entry = answer[index]
            guard let path = entry[0].text else { throw SecretServiceError(.protocolViolated) }
            let value = try session.session.decode(entry[1]) { bytes throws(SecretServiceError) in
                // An empty secret is what some services give for a locked item.
                if bytes.byteCount == 0 { throw try SecretServiceError(isLocked() ? .locked : .itemDamaged) }
                return try body(bytes)
            }
            guard let value else { throw SecretServiceError(.itemDamaged, detail: "it cannot be decrypted") }
            values[path] = value
        }
        return values
    }

    // MARK: - Changing

    /// Unlocks the collection if it is locked, asking the person where that is allowed.
    func unlock() throws(SecretServiceError) {
        guard try isLocked() else { return }
        let answer = try read(.unlock, at: BusName.secretsPath, [.paths([session.collection])], "(aoo)")
        guard let prompt = answer[1].text else { throw SecretServiceError(.protocolViolated) }
        if prompt != BusName.nowhere {
            guard prompts == .allowed else {
                _ = try? session.connection.call(.dismiss, at: prompt, of: session.owner, answer: "()", limits)
                throw SecretServiceError(.locked)
            }
            _ = try follow(prompt, milliseconds: limits.milliseconds)
        }
        if try isLocked() { throw SecretServiceError(.locked) }
    }

    /// Makes a new item, whatever others there are.
    ///
    /// - Returns: its path.
    func create(
        _ attributes: [(key: String, value: String)],
        label: String,
        _ text: SecretText
    ) throws(SecretServiceError) -> String {
        let properties = BusValue.properties([
            (BusMethod.itemInterface + ".Label", .string(label)),
            (BusMethod.itemInterface + ".Attributes", .texts(attributes)),
        ])
        let answer = try change(
            .createItem,
            at: session.collection,
            [properties, try encode(text), .bool(false)],
            "(oo)"
        )
        guard let path = answer[0].text, let prompt = answer[1].text else {
            throw SecretServiceError(.protocolViolated)
        }
        if prompt == BusName.nowhere { return path }
        guard let made = try followQuick(prompt)?.text, made != BusName.nowhere else {
            throw SecretServiceError(.indeterminate)
        }
        return made
    }

    /// Gives an item another content.
    func set(_ item: KeyringItem, to text: SecretText) throws(SecretServiceError) {
        if item.isLocked { throw SecretServiceError(.locked) }
        _ = try change(.setSecret, at: item.path, [try encode(text)], "()")
    }

    /// Removes an item.
    func delete(_ item: KeyringItem) throws(SecretServiceError) {
        if item.isLocked { throw SecretServiceError(.locked) }
        let answer = try change(.delete, at: item.path, [], "(o)")
        guard let prompt = answer[0].text else { throw SecretServiceError(.protocolViolated) }
        if prompt != BusName.nowhere { _ = try followQuick(prompt) }
    }

    // MARK: - Parts

    private func encode(_ text: SecretText) throws(SecretServiceError) -> BusValue {
        let encoded = text.withBytes { session.session.encode($0, contentType: "text/plain") }
        guard let encoded else { throw SecretServiceError(.protocolViolated) }
        return encoded
    }

    private func property(_ name: String, of interface: String, at path: String) throws(SecretServiceError) -> Bool {
        let answer = try read(.getProperty, at: path, [.string(interface), .string(name)], "(v)")
        guard let value = answer[0].bool else { throw SecretServiceError(.protocolViolated) }
        return value
    }

    private func followQuick(_ prompt: String) throws(SecretServiceError) -> BusValue? {
        do throws(SecretServiceError) {
            return try follow(prompt, milliseconds: min(Self.quickPrompt, limits.milliseconds))
        } catch {
            // What was asked for was not done; a question that is still open goes with the connection.
            if error.code == .promptDismissed || error.code == .promptPending { noteChanges(-1) }
            throw error
        }
    }

    private func follow(_ prompt: String, milliseconds: Int32) throws(SecretServiceError) -> BusValue? {
        do throws(BusError) {
            let (end, result) = try session.connection.follow(
                prompt,
                of: session.owner,
                milliseconds: milliseconds,
                limits
            )
            switch end {
            case .completed: return result
            case .dismissed: throw BusError.remote(Self.dismissed)
            case .pending: throw BusError.remote(Self.pending)
            }
        } catch {
            switch error {
            case .remote(Self.dismissed): throw SecretServiceError(.promptDismissed)
            case .remote(Self.pending): throw SecretServiceError(.promptPending)
            default: throw SecretServiceError(ofChange: error)
            }
        }
    }

    private static let dismissed = "dismissed"
    private static let pending = "pending"

    /// Calls what changes nothing.
    private func read(
        _ method: BusMethod,
        at path: String,
        _ arguments: [BusValue],
        _ answer: String
    ) throws(SecretServiceError) -> BusValue {
        do throws(BusError) {
            return try session.connection.call(method, at: path, of: session.owner, arguments, answer: answer, limits)
        } catch {
            throw SecretServiceError(bus: error)
        }
    }

    /// Calls what changes something.
    private func change(
        _ method: BusMethod,
        at path: String,
        _ arguments: [BusValue],
        _ answer: String
    ) throws(SecretServiceError) -> BusValue {
        if limits.deadline.hasPassed { throw SecretServiceError(.timedOut) }
        noteChanges(1)
        do throws(BusError) {
            return try session.connection.call(method, at: path, of: session.owner, arguments, answer: answer, limits)
        } catch {
            // What the service refuses it has not done.
            if case .remote = error { noteChanges(-1) }
            throw SecretServiceError(ofChange: error)
        }
    }
}
