// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Makes the calls of one job. Confined to the thread of its client, and invalid after the job.
struct KeyringCalls {
    let session: KeyringSession
    let limits: CallLimits
    private let prompts: PromptPolicy
    /// Whether another session may be opened if this one cannot transfer secrets.
    let mayRenewSession: Bool
    private let noteChanges: (Int) -> Void
    /// Attributes of items whose content is text. Reading one proves that a session transfers secrets intact, before
    /// anything is written through it.
    var witnesses: [(key: String, value: String)] = []
    /// Whether to refuse to write to a keyring without such an item, because it must be a different keyring.
    var needsWitness = false

    /// The time within which a prompt that needs no answer ends. Changes are made under a lock, so they wait for a
    /// prompt no longer than this.
    private static let quickPrompt: Int32 = 1000

    /// The shortest time in which a user could read and dismiss a prompt.
    private static let quickestAnswer = Duration.milliseconds(250)

    init(
        _ session: KeyringSession,
        limits: CallLimits,
        prompts: PromptPolicy,
        mayRenewSession: Bool,
        noteChanges: @escaping (Int) -> Void
    ) {
        self.session = session
        self.limits = limits
        self.prompts = prompts
        self.mayRenewSession = mayRenewSession
        self.noteChanges = noteChanges
    }

    // MARK: - Reading

    /// Whether the collection is locked.
    func isLocked() throws(SecretServiceError) -> Bool {
        do throws(SecretServiceError) {
            let value = try property("Locked", of: BusMethod.collectionInterface, at: session.collection)
            guard let isLocked = value.bool else { throw SecretServiceError(.protocolViolated) }
            return isLocked
        } catch {
            throw error.code == .itemMissing ? SecretServiceError(.collectionMissing) : error
        }
    }

    /// The items of the collection that have these attributes, and possibly others.
    ///
    /// - Throws: ``SecretServiceError/Code/locked`` if the search finds no item and the collection is locked, because
    ///   its contents are then unknown.
    func search(_ attributes: [(key: String, value: String)]) throws(SecretServiceError) -> [KeyringItem] {
        let answer = try read(.searchItems, at: BusName.secretsPath, arguments: [.texts(attributes)], answer: "(aoao)")
        let prefix = session.collection + "/"
        func items(_ paths: BusValue, isLocked: Bool) -> [KeyringItem] {
            paths.texts.filter { $0.hasPrefix(prefix) }.map { KeyringItem(path: $0, isLocked: isLocked) }
        }
        let found = items(answer[0], isLocked: false) + items(answer[1], isLocked: true)
        // Some services return no items for a locked collection instead of an error.
        if found.isEmpty, try isLocked() { throw SecretServiceError(.locked) }
        return found
    }

    /// Tests whether the session transfers secrets intact, before writing through it.
    private func proveSession() throws(SecretServiceError) {
        if session.isProven || witnesses.isEmpty { return }
        guard let witness = try search(witnesses).first(where: { !$0.isLocked }) else {
            if needsWitness { throw SecretServiceError(.itemMissing) }
            return
        }
        _ = try secrets(of: [witness]) { _ in }
    }

    /// The attributes of an item. Some services add their own.
    ///
    /// - Throws: ``SecretServiceError/Code/itemMissing`` if the item is gone.
    func attributes(of item: KeyringItem) throws(SecretServiceError) -> [(key: String, value: String)] {
        let attributes = try property("Attributes", of: BusMethod.itemInterface, at: item.path)
        guard attributes.has("a{ss}") else { throw SecretServiceError(.protocolViolated) }
        return (0..<attributes.count).map { (attributes[$0][0].text ?? "", attributes[$0][1].text ?? "") }
    }

    // MARK: - Changing

    /// Unlocks the collection if it is locked, prompting the user if allowed.
    func unlock() throws(SecretServiceError) {
        guard try isLocked() else { return }
        try unlock(path: session.collection)
        if try isLocked() { throw SecretServiceError(.locked) }
    }

    /// Unlocks a collection or an item, prompting the user if allowed.
    func unlock(path: String) throws(SecretServiceError) {
        let answer = try read(.unlock, at: BusName.secretsPath, arguments: [.paths([path])], answer: "(aoo)")
        guard let prompt = answer[1].text else { throw SecretServiceError(.protocolViolated) }
        if prompt != BusName.nowhere {
            guard prompts == .allowed else {
                _ = try? session.connection.call(.dismiss, at: prompt, of: session.owner, answer: "()", limits: limits)
                throw SecretServiceError(.locked)
            }
            let begun = ContinuousClock.now
            switch try follow(prompt, milliseconds: limits.milliseconds, { SecretServiceError(bus: $0) }).end {
            case .completed: break
            case .dismissed:
                // Without a display gnome-keyring cannot show a prompt, and reports it as dismissed.
                let isShown = ContinuousClock.now - begun > Self.quickestAnswer || (try? kind()) != .gnomeKeyring
                throw isShown
                    ? SecretServiceError(.promptDismissed)
                    : SecretServiceError(.locked, detail: "no prompt can be shown here")
            case .withdrawn, .pending: throw SecretServiceError(.promptPending)
            }
        }
    }

    /// Creates a new item even if others have the same attributes.
    ///
    /// - Returns: its path.
    func create(
        _ attributes: [(key: String, value: String)],
        label: String,
        _ text: SecretText
    ) throws(SecretServiceError) -> String {
        try proveSession()
        let properties = BusValue.properties([
            (BusMethod.itemInterface + ".Label", .string(label)),
            (BusMethod.itemInterface + ".Attributes", .texts(attributes)),
        ])
        let answer = try change(
            .createItem,
            at: session.collection,
            arguments: [properties, try encode(text), .bool(false)],
            answer: "(oo)"
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

    /// Replaces the content of an item.
    func set(_ item: KeyringItem, to text: SecretText) throws(SecretServiceError) {
        if item.isLocked { throw SecretServiceError(.locked) }
        try proveSession()
        _ = try change(.setSecret, at: item.path, arguments: [try encode(text)], answer: "()")
    }

    /// Removes an item.
    func delete(_ item: KeyringItem) throws(SecretServiceError) {
        if item.isLocked { throw SecretServiceError(.locked) }
        try proveSession()
        let answer = try change(.delete, at: item.path, arguments: [], answer: "(o)")
        guard let prompt = answer[0].text else { throw SecretServiceError(.protocolViolated) }
        if prompt != BusName.nowhere { _ = try followQuick(prompt) }
    }

    // MARK: - Parts

    private func encode(_ text: SecretText) throws(SecretServiceError) -> BusValue {
        let encoded = text.withBytes { session.session.encode($0, contentType: "text/plain") }
        guard let encoded else { throw SecretServiceError(.protocolViolated) }
        return encoded
    }

    func property(_ name: String, of interface: String, at path: String) throws(SecretServiceError) -> BusValue {
        try read(.getProperty, at: path, arguments: [.string(interface), .string(name)], answer: "(v)")[0]
    }

    /// Follows the prompt of a change, which normally needs no answer.
    private func followQuick(_ prompt: String) throws(SecretServiceError) -> BusValue? {
        let milliseconds = min(Self.quickPrompt, limits.milliseconds)
        let (end, result) = try follow(prompt, milliseconds: milliseconds) { SecretServiceError(ofChange: $0) }
        switch end {
        case .completed: return result
        case .pending: throw SecretServiceError(.indeterminate, detail: Self.unclear)
        // The service did not make the requested change.
        case .dismissed:
            noteChanges(-1)
            throw SecretServiceError(.promptDismissed)
        case .withdrawn:
            noteChanges(-1)
            throw SecretServiceError(.promptPending)
        }
    }

    private func follow(
        _ prompt: String,
        milliseconds: Int32,
        _ failure: (BusError) -> SecretServiceError
    ) throws(SecretServiceError) -> (end: PromptEnd, result: BusValue?) {
        do throws(BusError) {
            return try session.connection.follow(prompt, of: session.owner, milliseconds: milliseconds, limits)
        } catch {
            throw failure(error)
        }
    }

    private static let unclear = "the keyring shows a prompt whose result it has not reported"

    /// Makes a call that requests no change.
    func read(
        _ method: BusMethod,
        at path: String,
        arguments: [BusValue],
        answer: String
    ) throws(SecretServiceError) -> BusValue {
        do throws(BusError) {
            return try call(method, at: path, arguments: arguments, answer: answer)
        } catch {
            throw SecretServiceError(bus: error)
        }
    }

    private func call(
        _ method: BusMethod,
        at path: String,
        arguments: [BusValue],
        answer: String
    ) throws(BusError) -> BusValue {
        try session.connection.call(
            method,
            at: path,
            of: session.owner,
            arguments: arguments,
            answer: answer,
            limits: limits
        )
    }

    /// Makes a call that requests a change.
    private func change(
        _ method: BusMethod,
        at path: String,
        arguments: [BusValue],
        answer: String
    ) throws(SecretServiceError) -> BusValue {
        if limits.deadline.hasPassed { throw SecretServiceError(.timedOut) }
        noteChanges(1)
        do throws(BusError) {
            return try call(method, at: path, arguments: arguments, answer: answer)
        } catch {
            // The service refused the change and so did not make it.
            if case .remote = error { noteChanges(-1) }
            throw SecretServiceError(ofChange: error)
        }
    }
}

/// An item that a search found. Its path is valid only in this session: some services renumber their items at start.
struct KeyringItem: Hashable, Sendable {
    let path: String
    let isLocked: Bool
}
