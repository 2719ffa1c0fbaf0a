// SPDX-License-Identifier: Apache-2.0

import TokenCaching

/// A process of a group, for the tests that start, stop and kill several: it does one thing until it is done, its input
/// ends, or somebody ends it. What it says on standard output is true by the time that it says it.
@main
enum GroupWorker {
    static func main() {
        guard let options = Options(CommandLine.arguments) else {
            giveUp("usage: group-worker VERB [--root DIR] [--group NAME] …")
        }
        do throws(TokenCacheError) {
            if options.verb == "race" {
                say("waiting")
                _ = readLine()
            }
            if options.verb == "check" { return HistoryReport.write() }
            if options.verb == "calls" { return say(TimedCall.names.joined(separator: " ")) }
            if options.verb == "call" {
                let call = try TimedCall(options)
                say("ready")
                while readLine() != nil { call.run() }
                return
            }
            if options.verb == "crowd" {
                let crowd = try Crowd(options)
                say("ready")
                return try crowd.answer()
            }
            if options.verb == "storm" {
                let storm = try Storming(options)
                say("ready")
                return try storm.answer()
            }
            if options.verb == "documents" {
                let documenting = try Documenting(options)
                say("ready")
                return try documenting.answer()
            }
            let session = try Session(options)
            say("ready")
            try work(session)
        } catch {
            giveUp("\(error.code): \(error)")
        }
    }

    private static func work(_ session: Session) throws(TokenCacheError) {
        switch session.options.verb {
        case "save": try save(session)
        case "race": try session.save(0, account: 0)
        case "answer": try answer(session)
        case "watch": try watch(session)
        case "list": try list(session)
        case "sign-out": try signOut(session)
        case "sign-in": try Renewing(session).signIn()
        case "renew": try Renewing(session).renew()
        case "mix": Mixing(session).mix()
        case "begin": Mixing(session).begin()
        case "look": Mixing(session).look()
        case "measure": try Measuring(session).measure()
        default: giveUp("unknown verb \(session.options.verb)")
        }
    }

    /// Saves one response after the other, the accounts in turn, and acknowledges each.
    private static func save(_ session: Session) throws(TokenCacheError) {
        let options = session.options
        for number in options.first..<(options.first + options.count) {
            let account = number % options.accounts
            try session.save(number, account: account)
            say("saved \(account) \(number)")
        }
    }

    /// Does what each line says: "save ACCOUNT NUMBER", "find ACCOUNT", "fork ACCOUNT", which finds in a forked
    /// child, or "reopen ACCOUNT NUMBER", which has a forked child open the group itself, save and find, while eight threads save.
    private static func answer(_ session: Session) throws(TokenCacheError) {
        while let line = readLine() {
            let words = line.split(separator: " ")
            let numbers = words.compactMap { Int($0) }
            switch (words.first, numbers.count) {
            case ("save", 2):
                try session.save(numbers[1], account: numbers[0])
                say("saved \(numbers[0]) \(numbers[1])")
            case ("find", 1):
                say("found \(try session.accessToken(account: numbers[0]).map(String.init) ?? "nothing")")
            case ("fork", 1):
                Child.fork { () throws(TokenCacheError) in
                    say("child found \(try session.accessToken(account: numbers[0]).map(String.init) ?? "nothing")")
                }
            case ("reopen", 2):
                let threads = SavingThreads(session, from: numbers[1] + 1)
                for _ in 0..<10 {
                    Child.fork { () throws(TokenCacheError) in
                        let own = try Session(session.options)
                        try own.save(numbers[1], account: numbers[0])
                        say("child found \(try own.accessToken(account: numbers[0]).map(String.init) ?? "nothing")")
                    }
                }
                try threads.stop()
                say("reopened")
            default:
                giveUp("not understood: \(line)")
            }
        }
    }

    /// Prints what there is for every account.
    private static func list(_ session: Session) throws(TokenCacheError) {
        for account in 0..<session.options.accounts {
            let accessToken = try session.accessToken(account: account).map(String.init) ?? "-"
            let refreshToken = try session.refreshToken(account: account).map(String.init) ?? "-"
            say("\(account) \(accessToken) \(refreshToken)")
        }
    }

    /// Signs the accounts out, one after the other, and acknowledges each.
    private static func signOut(_ session: Session) throws(TokenCacheError) {
        for account in 0..<session.options.accounts {
            let person = Person(writer: session.options.writer, number: account)
            let filter = AccountFilter(id: person.accountID, includesSignedOut: true)
            guard let found = try session.cache.accounts(matching: filter).first else { continue }
            try session.cache.signOut(found)
            say("signed out \(account)")
        }
    }

    /// Looks all accounts up again and again until its input ends. A save replaces access and refresh token in one
    /// transaction: read one after the other and again, their numbers can only grow.
    private static func watch(_ session: Session) throws(TokenCacheError) {
        let ending = InputEnd()
        var lookups = 0
        var newest = [Int](repeating: -1, count: session.options.accounts)
        while !ending.isReached {
            for account in newest.indices {
                let first = try session.accessToken(account: account) ?? -1
                let between = try session.refreshToken(account: account) ?? -1
                let last = try session.accessToken(account: account) ?? -1
                lookups += 3
                if !(newest[account] <= first && first <= between && between <= last) {
                    say("violation: account \(account) had \(newest[account]), then \(first), \(between), \(last)")
                }
                newest[account] = last
            }
        }
        say("watched \(lookups) lookups")
    }
}
