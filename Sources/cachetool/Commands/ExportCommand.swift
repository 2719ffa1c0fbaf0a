// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CacheAdministration
import TokenCaching
import ToolInterface

/// `cachetool export`
struct ExportCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export the group as the JSON that MSAL libraries load, with tokens in plain text.",
        discussion: """
            Entries that were imported and have not been changed since are written exactly as they were read. Accounts \
            that are signed out of every app are omitted, unless you use --all.

            The output contains every token in plain text. A file is created so that only you can read it (mode 0600), \
            and appears complete or not at all. Standard output must be named explicitly, as -. Overwriting a file, or \
            writing to a terminal, requires --yes.

            EXAMPLES:
              cachetool export msal.json
              cachetool export - | ssh host 'umask 077; cat > msal.json'
            """
    )

    @Argument(
        help: ArgumentHelp("The file to create, or - for standard output.", valueName: "file"),
        completion: .file(),
        transform: CallersPath.output
    )
    var file: String?

    @OptionGroup(title: "Export options") var options: ExportOptionGroup
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        guard let file else {
            // With a default, every token would end up in the log of a job or of a remote shell.
            throw CommandFailure(
                .usage,
                "Name the file to create, or - to write every token in plain text to standard output."
            )
        }
        if file == "-" && session.console.output.isTerminal && !options.yes {
            throw CommandFailure(
                .usage,
                "Every token would be shown on the terminal. Name a file to create, or add --yes."
            )
        }
        if file == "-" && session.usesJSON {
            throw CommandFailure(
                .usage,
                "With --json, standard output is used for the report: name a file for the export."
            )
        }
        if file != "-" && Syscalls.exists(file) && !options.yes {
            throw CommandFailure(.usage, "\(file) exists already. Name another file, or replace it with --yes.")
        }
        if file == "-", let mode = Syscalls.permissionsOfOthers(descriptor: 1) {
            session.console.warn(
                "other users may read the file behind standard output, whose mode is 0\(String(mode, radix: 8)); chmod 600 on it keeps it private."
            )
        }
        let writesFile = file != "-" && (!Syscalls.exists(file) || Syscalls.isRegularFile(file))
        let cache = try session.open(options.acceptName ? .readOnlyCopy : .readOnly)
        defer { cache.close() }
        let progress = ProgressLine("Exporting", on: session.console)
        defer { progress.finish() }
        let report = try cache.exportEntries(
            to: file == "-" ? .descriptor(1) : .path(file),
            options: ExportOptions(includesSignedOutAccounts: options.all),
            // The reader of a pipe may take nothing, or never come.
            progress: writesFile ? progress.handlerOfWriting : progress.handlerWithoutInterruption
        )
        progress.finish()
        show(report, of: file, session)
        if report.damagedCount > 0 {
            throw CommandFailure(
                .partial,
                "\(HumanNumber.count(report.damagedCount, one: "entry is", many: "entries are")) damaged and "
                    + "\(report.damagedCount == 1 ? "was" : "were") omitted. See cachetool verify."
            )
        }
    }

    private func show(_ report: ExportReport, of file: String, _ session: Session) {
        if session.usesJSON { return write(report, of: file, session) }
        let target = file == "-" ? "standard output" : file
        session.console.remark(
            "\(HumanNumber.count(report.entryCount, one: "entry", many: "entries")) written to \(target), with tokens in plain text."
        )
        if report.signedOutCount > 0 {
            session.console.remark(
                HumanNumber.count(
                    report.signedOutCount,
                    one: "entry of a signed-out account was",
                    many: "entries of signed-out accounts were"
                ) + " omitted; --all includes \(report.signedOutCount == 1 ? "it" : "them")."
            )
        }
    }

    private func write(_ report: ExportReport, of file: String, _ session: Session) {
        session.writeDocument { json in
            json.member("file", file)
            json.member("bytes", Int64(report.byteCount))
            json.member("signed_out", report.signedOutCount)
            json.member("damaged", report.damagedCount)
            json.kinds(report.entryCounts)
        }
    }
}

/// The output of `cachetool export`.
struct ExportOptionGroup: ParsableArguments {
    @Option(name: .customLong("to"), help: ArgumentHelp("The format.", valueName: "format"))
    var format = ExportedFormat.msal

    @Flag(help: "Include signed-out accounts.")
    var all = false

    @Flag(help: "Export a copied or renamed folder as it is.")
    var acceptName = false

    @Flag(name: .shortAndLong, help: "Replace an existing file, or write to a terminal.")
    var yes = false
}

/// The format of a file, as typed.
enum ExportedFormat: String, ExpressibleByArgument, CaseIterable {
    case msal
}
