// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import TokenAcquisition
import TokenCaching

/// An application that signs in and gets tokens, and reports what it gets on its standard output.
///
/// | command | what it does |
/// | --- | --- |
/// | `sign-in` | signs in with a device code |
/// | `browse` | signs in with a browser, and says before that it begins; `--ahead` sets its clock ahead by so many seconds, `--browser system` takes the user's own browser and listens for the redirect; with `--cancel at-end` its task is cancelled when its standard input ends |
/// | `listen` | listens at `--redirect-uri` until one response comes, and reports how it came |
/// | `silent` | gets a token once; with `--interval` (milliseconds) again and again until its standard input ends |
/// | `renew` | gets `--count` new tokens, and reports how long each took |
/// | `mix` | makes `--count` random calls with `--seed`, as `RandomCalls` describes |
/// | `sign-out` | signs out, and revokes the refresh token; with `--browser system` it ends the session in the browser, too |
/// | `import` | imports the file `--file`, a cache of MSAL's, into the group |
/// | `crash` | gets a token, and crashes with it in memory |
///
/// With `--for` and the address of an API, `silent` gets its token, with what a sign-in kept in place of `--client-id` and
/// `--authority`. With `--events yes` each event of the client is reported in all forms in which an application may print it.
public enum SignInWorker {
    /// Runs the command of the process's arguments. What fails is reported, and the process ends with status 1.
    public static func main() async {
        let options = Options(Array(CommandLine.arguments.dropFirst()))
        do {
            switch options.command {
            case "import": try importCache(options)
            case "listen": try await listen(options)
            default: try await run(options)
            }
        } catch {
            Output.report(error)
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        var transport: any Transport = HTTPTransport()
        if options.value("kill") == "after-response" { transport = KillingTransport(transport: transport) }
        var services = Services(transport: transport, clock: options.clock)
        if options.value("browser") == "system" {
            (services.browser, services.redirectListener) = (SystemBrowser(), LoopbackListener())
        } else {
            let browser = ScriptedBrowser(transport)
            (services.browser, services.redirectListener) = (browser, browser)
        }
        if options.value("events") == "yes" {
            services.onEvent = { Output.report("event", Output.texts(of: $0)) }
        }
        let client = try await PublicClient.open(
            await options.configuration(),
            group: "sign-in",
            root: options["root"],
            storage: .file(unlockedBy: .keyFile),
            services: services
        )
        do {
            try await perform(options, client)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
    }

    private static func perform(_ options: Options, _ client: PublicClient) async throws {
        switch options.command {
        case "sign-in": try await signIn(client, options)
        case "browse":
            var request = InteractiveRequest(scopes: options.scopes)
            if let timeout = options.value("timeout").flatMap(Int64.init) { request.timeout = .seconds(timeout) }
            request.loginHint = try options.value("hint-file").map { try String(contentsOfFile: $0, encoding: .utf8) }
            request.responseMode = options.value("response-mode").flatMap(ResponseMode.init)
            Output.report("begin")
            let task = Task { [request] in try await client.acquireToken(request) }
            if options.value("cancel") == "at-end" {
                Thread.detachNewThread {
                    _ = try? FileHandle.standardInput.readToEnd()
                    task.cancel()
                }
            }
            Output.report(try await task.value)
        case "silent":
            if let interval = options.value("interval").flatMap(Int.init) {
                await repeatedly(client, options, interval: .milliseconds(interval))
            } else {
                Output.report(try await silent(client, options))
            }
        case "renew":
            for _ in 0..<(options.value("count").flatMap(Int.init) ?? 1) {
                let start = ContinuousClock.now
                let result = try await silent(client, options)
                let duration = start.duration(to: .now) / .milliseconds(1)
                Output.report("renewal", ["source": "\(result.source)", "milliseconds": "\(duration)"])
            }
        case "mix": try await RandomCalls(client: client, account: try await account(client), options).run()
        case "sign-out":
            var request = SignOutRequest()
            request.revokesTokens = true
            request.endsBrowserSession = options.value("browser") != nil
            let report = try await client.signOut(try await account(client), with: request)
            var facts = ["revocation": "\(report.revocation)"]
            if request.endsBrowserSession { facts["browser_session"] = "\(report.browserSession)" }
            Output.report("sign-out", facts)
        case "crash":
            let result = try await silent(client, options)
            try result.withAuthorizationHeader { header in
                fatalError("a crash with a header of \(header.byteCount) bytes")
            }
        default: fatalError("there is no command \(options.command)")
        }
    }

    private static func listen(_ options: Options) async throws {
        let session = try await LoopbackListener().listen(at: options["redirect-uri"])
        Output.report("listening", ["redirect_uri": session.redirectURI])
        let response = try await session.response { _ in .completed }
        await session.close()
        Output.report("response", ["mode": response.mode.rawValue])
    }

    private static func signIn(_ client: PublicClient, _ options: Options) async throws {
        let result = try await client.acquireToken(DeviceCodeRequest(scopes: options.scopes)) { prompt in
            Output.report("prompt", ["user_code": prompt.userCode, "verification_uri": prompt.verificationURI])
        }
        Output.report(result)
    }

    private static func account(_ client: PublicClient) async throws -> Account {
        if let current = try await client.currentAccount().current { return current }
        guard let first = try await client.accounts().first else { throw AcquisitionError(.interactionRequired) }
        return first
    }

    private static func silent(_ client: PublicClient, _ options: Options) async throws -> AuthenticationResult {
        var request = SilentRequest(scopes: options.scopes, account: try await account(client))
        if let timeout = options.value("timeout").flatMap(Int64.init) { request.timeout = .seconds(timeout) }
        request.forceRefresh = options.value("force") == "yes"
        request.resource = options.value("for")
        if let claims = options.value("claims") { request.claims = try ClaimsRequest(json: claims) }
        return try await client.acquireTokenSilent(request)
    }

    /// Gets tokens until the standard input ends. Reports each token once, and errors when they change.
    private static func repeatedly(_ client: PublicClient, _ options: Options, interval: Duration) async {
        Thread.detachNewThread {
            _ = try? FileHandle.standardInput.readToEnd()
            Output.report("end")
            exit(0)
        }
        var (lastToken, lastError) = ("", "")
        while true {
            do {
                let result = try await silent(client, options)
                let token = Output.publicPart(result)
                if token != lastToken || result.source != .cache { Output.report(result) }
                (lastToken, lastError) = (token, "")
            } catch {
                if "\(error)" != lastError { Output.report(error) }
                lastError = "\(error)"
            }
            try? await Task.sleep(for: interval)
        }
    }

    private static func importCache(_ options: Options) throws {
        // Creates the group.
        _ = try TokenCache(
            group: "sign-in",
            clientID: options["client-id"],
            root: options["root"],
            storage: .file(unlockedBy: .keyFile)
        )
        let group = try CacheGroup.open("sign-in", root: options["root"], storage: .file(unlockedBy: .keyFile))
        let report = try group.importEntries(from: .path(options["file"]))
        Output.report("import", ["report": "\(report)"])
    }
}
