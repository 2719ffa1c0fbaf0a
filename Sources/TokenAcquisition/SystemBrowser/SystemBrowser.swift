// SPDX-License-Identifier: Apache-2.0

// SAFETY: access(2) only reads the path that it is passed.

internal import Glibc

/// The user's own browser.
///
/// Tries the following in order, until one succeeds:
///
/// 1. the programs in `$BROWSER`: separated by colons, each optionally with arguments; `%s` stands for the URL, which
///    is otherwise appended as the last argument. Their output goes to the standard error of this process, so
///    `BROWSER=echo` shows the URL.
/// 2. in a Flatpak or Snap sandbox, the portal (`org.freedesktop.portal.OpenURI`), called with `gdbus`.
/// 3. `xdg-open`, if there is a display.
/// 4. `wslview` in the Windows Subsystem for Linux.
///
/// A program that ends with an error within two seconds has failed; one that is still running has succeeded. Each runs
/// in a session of its own, without a terminal, and inherits the environment but no open files.
///
/// All users of the machine can read the URL in the list of processes: pass a URL that reveals nothing, such as one
/// from ``RedirectSession/startURL(for:)``. Calls do not block a thread.
public struct SystemBrowser: Browser {
    private let environment: [String: String]

    /// The browser according to the current environment of this process.
    public init() {
        self.init(environment: ProcessEnvironment.variables)
    }

    /// The browser according to an environment.
    ///
    /// - Parameter environment: all environment variables for the programs to start.
    public init(environment: [String: String]) {
        self.environment = environment
    }

    /// Whether there is a program to try, and this process does not run under sudo. If false, offer a device code.
    public var isAvailable: Bool { !isUnderSudo && !commands(for: "http://localhost/").isEmpty }

    /// Opens a URL, and returns when the program has ended, or after two seconds.
    ///
    /// - Parameter url: an `https` URL, or `http` with a loopback host.
    /// - Throws: ``AcquisitionError/Code/browserMissing`` if there is no display and no `$BROWSER`, if no program
    ///   succeeded, or under sudo: the browser would be root's, and so would the tokens.
    ///   ``AcquisitionError/Code/requestRejected`` for another URL.
    ///   ``AcquisitionError/Code/cancelled`` if the task was cancelled.
    public func open(_ url: String) async throws(AcquisitionError) {
        guard let target = RequestTarget(url) else {
            throw AcquisitionError(
                .requestRejected,
                detail: "a browser opens only https URLs, and http on this machine"
            )
        }
        guard !isUnderSudo else {
            throw AcquisitionError(
                .browserMissing,
                detail: "this process runs under sudo, but the browser belongs to the user; run it without sudo"
            )
        }
        let commands = commands(for: url)
        guard !commands.isEmpty else {
            let variables = "none of DISPLAY, WAYLAND_DISPLAY and BROWSER leads to one"
            throw AcquisitionError(.browserMissing, detail: variables + adviceForSSH(port: target.port))
        }
        var failures: [String] = []
        for command in commands {
            guard !Task.isCancelled else { throw AcquisitionError(.cancelled) }
            let name = command.program.split(separator: "/").last.map(String.init) ?? ""
            let child: ChildProcess
            do throws(ChildProcess.SpawnError) {
                child = try ChildProcess(
                    command.program,
                    command.arguments,
                    environment: environment,
                    mayWrite: command.isNamedByUser
                )
            } catch {
                failures.append("\(name) did not start, error \(error.number)")
                continue
            }
            switch await child.end(within: .seconds(2)) {
            case .status(0), .unknown: return
            case .status(let status): failures.append("\(name) ended with status \(status)")
            case .signal: failures.append("\(name) was killed")
            case nil:
                child.reap()
                return
            }
        }
        throw AcquisitionError(
            .browserMissing,
            detail: failures.joined(separator: ", ") + adviceForSSH(port: target.port)
        )
    }

    private func commands(for url: String) -> [BrowserCommand] {
        BrowserCommand.commands(for: url, environment: environment) { unsafe access($0, X_OK) == 0 }
    }

    private var isUnderSudo: Bool { geteuid() == 0 && environment["SUDO_UID"].map { $0 != "0" } ?? false }

    /// How to use the browser of the user's own machine.
    private func adviceForSSH(port: Int) -> String {
        guard environment["SSH_CONNECTION"]?.isEmpty == false else { return "" }
        return """
            ; over SSH you can use the browser of your own machine: start again with BROWSER=echo, forward the port of the \
            URL that appears, such as \(port), from there with ssh -N -L \(port):localhost:\(port) HOST, where HOST is this \
            machine, and open the URL there
            """
    }
}

extension SystemBrowser: CustomStringConvertible, CustomReflectable {
    /// The name of the type.
    public var description: String { "SystemBrowser()" }

    /// No children, because an environment may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
