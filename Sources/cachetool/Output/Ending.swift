import ArgumentParser
import TokenCaching

/// How a run ends that did not simply succeed.
enum Ending {
    /// Says on the right stream what `error` means, and tells the exit status.
    static func of(_ error: any Error) -> ExitStatus {
        let console = Console()
        defer { console.flush() }
        switch error {
        case let failure as CommandFailure:
            if !failure.message.isEmpty { console.fail(failure.message) }
            return failure.status
        case let error as TokenCacheError where error.code == .cancelled:
            console.fail("Interrupted. Nothing was changed.")
            Interruption.end()
        case let error as TokenCacheError:
            console.fail(error.description)
            return ExitStatus(error.code)
        case let code as ExitCode:
            return ExitStatus(rawValue: code.rawValue) ?? .failure
        default:
            return parsing(error, console)
        }
    }

    /// Help, a version, a completion script, or a command line that is not understood.
    private static func parsing(_ error: any Error, _ console: Console) -> ExitStatus {
        let text = Cachetool.fullMessage(for: error)
        if Cachetool.exitCode(for: error).isSuccess {
            console.write(line: text)
            return .success
        }
        console.errors.write(line: VisibleText.escapedLines(text))
        return .usage
    }
}
