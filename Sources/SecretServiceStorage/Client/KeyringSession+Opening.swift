// SPDX-License-Identifier: Apache-2.0

// SAFETY: the name of a missing library is a static C string.

internal import CSecretService

extension KeyringSession {
    /// Connects to the bus, finds the service or has the bus start it, opens a session and finds the collection.
    static func open(_ location: SecretServiceLocation, _ limits: CallLimits) throws(SecretServiceError)
        -> KeyringSession
    {
        if let missing = unsafe secret_library_bind() {
            throw SecretServiceError(.libraryMissing, detail: unsafe String(cString: missing))
        }
        let connection = try connect(location, limits)
        let owner = try findService(on: connection, limits)
        let session = try openSession(on: connection, with: owner, limits)
        let collection = try findCollection(location.collection, on: connection, owner: owner, limits)
        return KeyringSession(connection: connection, owner: owner, session: session, collection: collection)
    }

    /// Opens a session with the service. Retries, because KWallet refuses about one session in several hundred, whose
    /// public key begins with zeros; the next attempt has another key.
    private static func openSession(
        on connection: BusConnection,
        with owner: String,
        _ limits: CallLimits
    ) throws(SecretServiceError) -> SecretSession {
        var triesLeft = 3
        while true {
            do throws(BusError) {
                return try connection.openSession(with: owner, limits)
            } catch {
                guard case .other = error else { throw SecretServiceError(bus: error) }
                if try lacksSecretService(owner, on: connection, limits) {
                    throw SecretServiceError(.serviceMissing, detail: "another program owns its bus name")
                }
                triesLeft -= 1
                if triesLeft == 0 { throw SecretServiceError(bus: error) }
            }
        }
    }

    /// Whether `owner` does not implement the Secret Service at all. libsecret's error for a failed session does not
    /// tell.
    private static func lacksSecretService(
        _ owner: String,
        on connection: BusConnection,
        _ limits: CallLimits
    ) throws(SecretServiceError) -> Bool {
        do throws(BusError) {
            let name = [BusValue.string("default")]
            _ = try connection.call(
                .readAlias,
                at: BusName.secretsPath,
                of: owner,
                arguments: name,
                answer: "(o)",
                limits: limits
            )
            return false
        } catch {
            guard case .remote(let answer) = error else { throw SecretServiceError(bus: error) }
            return [
                "org.freedesktop.DBus.Error.UnknownInterface", "org.freedesktop.DBus.Error.UnknownMethod",
                "org.freedesktop.DBus.Error.UnknownObject",
            ].contains(answer)
        }
    }

    private static func connect(
        _ location: SecretServiceLocation,
        _ limits: CallLimits
    ) throws(SecretServiceError) -> BusConnection {
        guard let address = location.busAddress ?? SecretServiceLocation.addressFromEnvironment else {
            throw SecretServiceError(.busMissing, detail: "DBUS_SESSION_BUS_ADDRESS is not set")
        }
        do throws(BusError) {
            return try BusConnection.open(address, limits)
        } catch {
            switch error {
            case .cancelled, .timedOut: throw SecretServiceError(.timedOut)
            default: throw SecretServiceError(.busMissing, detail: "nothing answers at its address")
            }
        }
    }

    /// The process that owns the service's bus name.
    static func process(
        at location: SecretServiceLocation,
        _ limits: CallLimits
    ) throws(SecretServiceError) -> Int32 {
        if let missing = unsafe secret_library_bind() {
            throw SecretServiceError(.libraryMissing, detail: unsafe String(cString: missing))
        }
        let connection = try connect(location, limits)
        let answer: BusValue
        do throws(BusError) {
            answer = try connection.call(
                .getConnectionProcess,
                at: BusName.busPath,
                of: BusName.bus,
                arguments: [.string(BusName.secrets)],
                answer: "(u)",
                limits: limits
            )
        } catch {
            throw SecretServiceError(bus: error)
        }
        guard let id = answer[0].number.flatMap({ Int32(exactly: $0) }) else {
            throw SecretServiceError(.protocolViolated)
        }
        return id
    }

    private static func findService(
        on connection: BusConnection,
        _ limits: CallLimits
    ) throws(SecretServiceError) -> String {
        func ask(_ method: BusMethod, arguments: [BusValue], answer: String) throws(BusError) -> BusValue {
            let bus = BusName.bus
            return try connection.call(
                method,
                at: BusName.busPath,
                of: bus,
                arguments: arguments,
                answer: answer,
                limits: limits
            )
        }
        let name = BusValue.string(BusName.secrets)
        do throws(BusError) {
            // Check first, because a call to an unowned name would start a program and wait for it without limit.
            if try ask(.nameHasOwner, arguments: [name], answer: "(b)")[0].bool != true {
                guard try ask(.listActivatableNames, arguments: [], answer: "(as)")[0].texts.contains(BusName.secrets)
                else {
                    throw BusError.remote("org.freedesktop.DBus.Error.ServiceUnknown")
                }
                do throws(BusError) {
                    _ = try ask(.startServiceByName, arguments: [name, .number(0)], answer: "(u)")
                } catch {
                    throw Activation.failure(error)
                }
            }
            if let owner = try ask(.getNameOwner, arguments: [name], answer: "(s)")[0].text { return owner }
        } catch {
            switch error {
            case .remote(Activation.timedOut): throw SecretServiceError(.activationTimedOut)
            case .remote(let name): throw SecretServiceError(.serviceMissing, detail: name)
            default: throw SecretServiceError(bus: error)
            }
        }
        throw SecretServiceError(.protocolViolated)
    }

    private enum Activation {
        static let timedOut = "org.freedesktop.DBus.Error.TimedOut"

        static func failure(_ error: BusError) -> BusError {
            switch error {
            case .cancelled, .timedOut, .unanswered: .remote(timedOut)
            default: error
            }
        }
    }

    private static func findCollection(
        _ name: String?,
        on connection: BusConnection,
        owner: String,
        _ limits: CallLimits
    ) throws(SecretServiceError) -> String {
        if let name {
            guard !name.isEmpty, name.utf8.allSatisfy(isPathByte) else {
                throw SecretServiceError(
                    .collectionMissing,
                    detail: "its name contains a character outside A-Z a-z 0-9 _"
                )
            }
            return BusName.collectionPrefix + name
        }
        do throws(BusError) {
            let answer = try connection.call(
                .readAlias,
                at: BusName.secretsPath,
                of: owner,
                arguments: [.string("default")],
                answer: "(o)",
                limits: limits
            )
            guard let path = answer[0].text, path != BusName.nowhere else {
                throw BusError.remote("org.freedesktop.Secret.Error.NoSuchObject")
            }
            return path
        } catch {
            let error = SecretServiceError(bus: error)
            guard error.code == .itemMissing else { throw error }
            // KeePassXC offers a database as a collection only while it is open.
            if (try? KeyringKind.of(owner, on: connection, limits)) == .keePassXC {
                throw SecretServiceError(.locked, detail: "no database is open in KeePassXC")
            }
            throw SecretServiceError(.collectionMissing)
        }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
