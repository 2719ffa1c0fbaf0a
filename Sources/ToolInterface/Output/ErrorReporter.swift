// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Glibc
import TokenCaching

/// Reports errors, help and versions at the end of a run.
public enum ErrorReporter {
    /// Prints `error` to the right stream, and returns the program's exit status: for a token that another command was to
    /// get, 125, as of env(1), so that it is not taken for that command's, except if the user has to sign in. With
    /// `--json`, the last line on standard error is then a JSON document.
    public static func exitCode(for error: any Error, in program: any ParsableCommand.Type) -> Int32 {
        let status = of(error, in: program)
        guard status != .success, let words = CommandArguments.wordsBeforeCommand, words.first == "token" else {
            return status.rawValue
        }
        let code = status == .notFound ? status.rawValue : 125
        let text = error is CommandFailure || error is TokenCacheError ? "\(error)" : "The command line is not valid."
        if words.contains("--json") { writeDocument(text, code) }
        return code
    }

    /// Ends the program because another command could not be started.
    public static func end(_ text: String, exitCode: Int32) -> Never {
        let console = Console()
        console.fail(text)
        console.flush()
        if CommandArguments.wordsBeforeCommand?.contains("--json") == true { writeDocument(text, exitCode) }
        Syscalls.exitNow(exitCode)
    }

    private static func writeDocument(_ text: String, _ exitCode: Int32) {
        let errors = OutputStream(descriptor: 2)
        let json = JSONWriter(errors)
        json.line {
            json.member("error", text)
            json.member("exit_status", Int64(exitCode))
        }
        errors.flush()
    }

    /// Prints `error` to the right stream, and returns the exit status.
    public static func of(_ error: any Error, in program: any ParsableCommand.Type) -> ExitStatus {
        let console = Console()
        defer { console.flush() }
        switch error {
        case let failure as CommandFailure:
            if !failure.message.isEmpty { console.fail(failure.message) }
            return failure.status
        case let error as TokenCacheError where error.code == .cancelled:
            let done = Interruption.completed ?? sentence(error.detail) ?? "Nothing was changed."
            console.fail("Interrupted. \(done)")
            Interruption.end()
        case let error as TokenCacheError where error.systemErrorNumber == EPIPE:
            // The reader that closed the pipe knows it; the status tells a script that the output is incomplete.
            return .failure
        case let error as TokenCacheError where error.code == .invalidRequest:
            console.fail(error.failureOfOwnCode?.message ?? sentence(error.detail) ?? error.description)
            return .usage
        case let error as TokenCacheError:
            console.fail(error.description)
            return ExitStatus(error.code)
        case let code as ExitCode:
            return ExitStatus(rawValue: code.rawValue) ?? .failure
        default:
            return parsing(error, of: program, on: console)
        }
    }

    /// The detail of an error as a sentence, without the library's advice to programmers.
    private static func sentence(_ detail: String?) -> String? {
        guard let detail, let first = detail.first else { return nil }
        return first.uppercased() + detail.dropFirst() + (detail.hasSuffix(".") ? "" : ".")
    }

    /// Prints help, a version, a completion script, or what is wrong with the command line.
    private static func parsing(
        _ error: any Error,
        of program: any ParsableCommand.Type,
        on console: Console
    ) -> ExitStatus {
        let text = program.fullMessage(for: error)
        if program.exitCode(for: error).isSuccess {
            console.write(line: text)
            return .success
        }
        console.errors.write(line: VisibleText.escapedLines(text))
        return .usage
    }
}
