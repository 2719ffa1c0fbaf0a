// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenAcquisition
import TokenCaching
import ToolInterface

/// A command on a group that sends requests to an authority.
protocol NetworkCommand: ParsableCommand {
    var group: GroupOptions { get }
    var output: OutputOptions { get }

    /// Runs the command.
    func perform(in session: Session, _ services: Services) async throws
}

extension NetworkCommand {
    /// Runs the command in a session of its own.
    func start() async throws {
        let session = Session(group, output, commandNames: SignInTool.commandNames)
        defer { session.console.flush() }
        do {
            var services = try Services.ofThisProgram
            services.onEvent = { event in
                guard event.kind == .abandonedRenewal, let text = Self.outcome(event.errorCode) else { return }
                Interruption.noteCompletion(text)
            }
            try await perform(in: session, services)
            try session.finish()
        } catch {
            let failure = session.completed((error as? AcquisitionError).map { session.failure($0) } ?? error)
            guard Interruption.isWanted else { throw failure }
            session.console.flush()
            _ = ErrorReporter.of(failure, in: SignInTool.self)
        }
        // What had begun is completed, and reported.
        if Interruption.isWanted {
            session.console.flush()
            Interruption.end()
        }
    }
}

extension NetworkCommand {
    /// What became of a renewal that its caller did not wait for; nil if nothing was sent.
    fileprivate static func outcome(_ code: AcquisitionError.Code?) -> String? {
        switch code {
        case nil, .scopesDeclined: "The token was renewed and saved."
        case .networkFailed, .timeout:
            "No response arrived. If the authority replaced the refresh token, the user has to sign in again."
        case .idTokenRejected, .responseRejected, .accountMismatch, .issuerRejected:
            "The response was refused, and its access token was not saved."
        case .cancelled, .renewalBusy, .requestRejected: nil
        default: "The token was not renewed."
        }
    }
}

extension Services {
    /// The network, the browser and the clock of this machine.
    fileprivate static var ofThisProgram: Services {
        get throws(CommandFailure) {
            #if SignIn
            return .system
            #else
            throw CommandFailure.withoutNetwork
            #endif
        }
    }
}

extension CommandFailure {
    /// The error of a program that was built without network access, with advice how to install a complete one.
    static var withoutNetwork: CommandFailure {
        CommandFailure(
            .failure,
            "This cachetool-sign-in was built without the package trait SignIn, so it cannot use the network. Install a "
                + "complete one with scripts/install of swift-token-cache, or build it with swift build --traits SignIn "
                + "--product cachetool-sign-in."
        )
    }
}

extension Session {
    /// Opens the group, creating it if it does not exist, and explains errors.
    func openedOrCreated() throws -> CacheGroup {
        do throws(TokenCacheError) {
            return try openOrCreate()
        } catch {
            // A group that would be created cannot be missing.
            throw error.code == .notFound ? error : explained(error)
        }
    }
}

/// Makes a request of a client, which a signal cancels. If a refresh token or a code was already sent, the response is
/// still saved; `loss` is what may be lost otherwise.
func interruptible<Result: Sendable>(
    _ client: PublicClient,
    losing loss: StaticString = lossOfRenewal,
    _ request: @escaping @Sendable (PublicClient) async throws -> Result
) async throws -> Result {
    do {
        let result = try await interruptible(losing: loss) { try await request(client) }
        await client.close()
        return result
    } catch {
        await client.close()
        throw error
    }
}

/// What an interrupted renewal may lose, and an interrupted sign-in.
let lossOfRenewal: StaticString = """
    cachetool: Ended before the authority responded. If it replaced the refresh token, the user has to sign in again.

    """
let lossOfSignIn: StaticString = """
    cachetool: Ended before the authority responded. Tokens that it may have issued are not stored.

    """

/// Makes a request, which a signal cancels.
func interruptible<Result: Sendable>(
    losing loss: StaticString = lossOfRenewal,
    _ request: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    let task = Task { try await request() }
    Interruption.beginCompleting(losing: loss) { task.cancel() }
    // The signal may have arrived before.
    if Interruption.isWanted { task.cancel() }
    return try await task.value
}
