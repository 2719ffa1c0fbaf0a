import ArgumentParser
import TokenCaching

/// `cachetool import`
struct ImportCommand: GroupCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Read the cache of an MSAL or ADAL library and seal what is in it.",
        discussion: """
            Takes the JSON that MSAL for Python, Go, Java, Node and .NET write. The group is made where there is none \
            yet. Nothing is lost: unknown fields, entries and sections are kept and exported again as they were.

            --from adal (or azure-cli) takes accessTokens.json, which ADAL for Python and the Azure CLI before 2.30 wrote. \
            Its accounts are found by username, and its refresh tokens are spent where the group has no other; its access \
            tokens are not handed out, and none of it is exported.

            An older entry is never put over a newer one, and a sign-out is not lifted; --replace forces both. If \
            anything in the file is bad, nothing is imported and all of it is listed; --partial leaves the bad ones \
            out instead and ends with status 9. The file itself stays: remove it once you no longer need it.

            EXAMPLES:
              cachetool import ~/.azure/msal_token_cache.json
              cachetool import --from azure-cli ~/.azure/accessTokens.json
              decrypt cache.bin | cachetool import --group work -
            """
    )

    @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup(title: "Import options") var options: ImportOptionGroup
    @OptionGroup(title: "Group options") var group: GroupOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func perform(in session: Session) throws {
        if file == "-" && group.passphraseFd == 0 {
            throw CommandFailure(
                .usage,
                "Standard input cannot be both the file and the passphrase: use --passphrase-fd 3."
            )
        }
        if file == "-" && Syscalls.isTerminal(0) {
            session.console.remark("Reading from the terminal; end with Ctrl-D.")
        }
        try checkFile()
        let cache = try session.openOrCreate()
        defer { cache.close() }
        let progress = ProgressLine("Importing", on: session.console)
        var settings = ImportOptions(
            format: options.format.format,
            skipsBadEntries: options.partial,
            replacesNewer: options.replace
        )
        settings.maximumByteCount = options.maxSize.bytes
        let report: ImportReport
        do throws(TokenCacheError) {
            defer { progress.finish() }
            report = try cache.importEntries(
                from: file == "-" ? .descriptor(0) : .path(file),
                options: settings,
                onProblem: { problem in
                    progress.finish()
                    session.console.warn("\(shownFile), \(problem)")
                },
                progress: progress.handler
            )
        } catch {
            throw explained(error)
        }
        show(report, session)
        if report.badCount > 0 {
            throw CommandFailure(
                .partial,
                "\(HumanNumber.count(report.badCount, "entry", "entries")) could not be read and stayed out."
            )
        }
    }

    /// The file, for people.
    private var shownFile: String { file == "-" ? "standard input" : file }

    /// Before a group is made for it.
    private func checkFile() throws {
        guard file != "-" else { return }
        guard Syscalls.exists(file) else { throw CommandFailure(.notFound, "There is no file \(file).") }
        guard !Syscalls.exists(file + "/.") else {
            throw CommandFailure(.usage, "\(file) is a folder. Name the file in it that holds the cache.")
        }
    }

    /// What is wrong with the file, and with which; another error as it came.
    private func explained(_ error: TokenCacheError) -> any Error {
        switch error.code {
        case .malformedDocument where error.byteOffset == 0:
            CommandFailure(
                .corrupt,
                "\(shownFile) is no cache that --from \(options.format.rawValue) takes (\(error.detail ?? "")). "
                    + "Nothing was imported. Where a library keeps its cache encrypted, decrypt it first."
            )
        case .malformedDocument:
            CommandFailure(.corrupt, "\(shownFile): \(error)")
        case .tooLarge:
            CommandFailure(.failure, "\(error) --max-size raises it.")
        default:
            error
        }
    }

    private func show(_ report: ImportReport, _ session: Session) {
        if session.usesJSON { return write(report, session) }
        var table = Table([
            TableColumn("KIND"), TableColumn("NEW", .right), TableColumn("REPLACED", .right),
            TableColumn("UNCHANGED", .right), TableColumn("OLDER", .right), TableColumn("SIGNED OUT", .right),
        ])
        for (kind, counts) in report.countsByKind.sorted(by: { $0.key < $1.key }) {
            table.add([TableCell(EntryKindName.people(kind))] + cells(counts))
        }
        if report.countsByKind.count > 1 { table.add([TableCell("together", .bold)] + cells(report.counts)) }
        if table.isEmpty {
            session.console.remark("The file holds no entries.")
        } else {
            table.write(to: session.console)
        }
        let sealed = report.counts.new + report.counts.replaced
        if sealed > 0 {
            session.console.remark(
                "\(HumanNumber.count(sealed, "entry", "entries")) sealed in group \(session.groupName). "
                    + "The file still holds them in clear."
            )
        } else if !table.isEmpty {
            session.console.remark("Nothing new for group \(session.groupName). The file still holds tokens in clear.")
        }
        if report.counts.older > 0 {
            session.console.remark("Older entries stayed out; --replace puts them over the newer ones.")
        }
        if report.healedCount > 0 {
            let entries = HumanNumber.count(report.healedCount, "entry", "entries")
            session.console.remark("\(entries) that could not be read any more came back from the file.")
        }
        if report.damagedCount > 0 {
            let records = HumanNumber.count(report.damagedCount, "damaged record", "damaged records")
            session.console.warn("The group has \(records) here; cachetool verify tells more, repair removes them.")
        }
        if report.counts.signedOut > 0 {
            session.console.remark("Entries of signed-out accounts stayed out; --replace lifts the sign-out.")
        }
    }

    private func cells(_ counts: ImportCounts) -> [TableCell] {
        [counts.new, counts.replaced, counts.unchanged, counts.older, counts.signedOut].map { count in
            TableCell(count == 0 ? "-" : HumanNumber.count(count), count == 0 ? .dim : .plain)
        }
    }

    private func write(_ report: ImportReport, _ session: Session) {
        let json = JSONWriter(session.console.output)
        json.document {
            json.member("group", session.groupName)
            json.member("changed", report.hasChanges)
            json.member("bytes", Int64(report.byteCount))
            json.member("bad", report.badCount)
            json.member("damaged", report.damagedCount)
            json.member("healed", report.healedCount)
            json.array("kinds") {
                for (kind, counts) in report.countsByKind.sorted(by: { $0.key < $1.key }) {
                    json.objectElement {
                        json.member("kind", kind.name)
                        json.member("new", counts.new)
                        json.member("replaced", counts.replaced)
                        json.member("unchanged", counts.unchanged)
                        json.member("older", counts.older)
                        json.member("signed_out", counts.signedOut)
                    }
                }
            }
        }
    }
}
