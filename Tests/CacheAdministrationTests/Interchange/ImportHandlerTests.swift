// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordStorage
import Synchronization
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Handlers of an import whose document is too large to be read without the lock.
@Suite("Handlers of an import")
struct ImportHandlerTests {
    let fixture = GroupFixture()

    private static func tokens(_ range: Range<Int>) -> [String] {
        let secret = String(repeating: "s", count: 3_000)
        return range.map { Document.accessToken(user: "u\($0).t", secret: "\($0)\(secret)") }
    }

    private static let document = Document.sections(["AccessToken": tokens(0..<4_000)])

    @Test("may write into the same group themselves, though it is being written to")
    func writingMeanwhile() throws {
        let group = try fixture.createGroup()
        let other = CacheGroup(try fixture.open(), timeout: .seconds(60))
        var saved = 0
        let report = try group.importEntries(
            from: .bytes(Self.document.bytes),
            progress: { _ in
                do {
                    try other.take(.sections(["Account": [Document.account(user: "own\(saved).t")]]))
                } catch {
                    Issue.record(error)
                }
                saved += 1
                return .proceed
            }
        )
        #expect(report.counts.new == 4_000)
        #expect(saved > 0)
        #expect(try other.give().keys("Account").count == saved)
    }

    @Test("run on the calling thread, and a slow one does not keep the lock")
    func slow() throws {
        let group = try fixture.createGroup()
        let other = CacheGroup(try fixture.open(), timeout: .seconds(60))
        let caller = Thread.current
        var isElsewhere = false
        let (isImported, isSaved) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread {
            _ = isImported.wait(timeout: .now() + 60)
            #expect(throws: Never.self) { try other.take(.sections(["Account": [Document.account()]])) }
            isSaved.signal()
        }.start()
        var waited: DispatchTimeoutResult?
        _ = try group.importEntries(
            from: .bytes(Self.document.bytes),
            progress: { _ in
                isElsewhere = isElsewhere || Thread.current != caller
                // The first news wait until somebody else has saved: that needs the lock which the import has now.
                if waited == nil {
                    isImported.signal()
                    waited = isSaved.wait(timeout: .now() + 60)
                }
                return .proceed
            }
        )
        #expect(waited == .success)
        #expect(!isElsewhere)
    }

    @Test("hear of all bad entries in their order")
    func problems() throws {
        let group = try fixture.createGroup()
        let entries = Self.tokens(0..<3_000).enumerated().map {
            $0.offset % 100 == 99 ? "\"k\($0.offset)\": 1" : $0.element
        }
        let document = Document.sections(["AccessToken": entries])
        var offsets: [UInt64] = []
        let report = try group.importEntries(
            from: .bytes(document.bytes),
            options: ImportOptions(skipsBadEntries: true),
            onProblem: { offsets.append($0.byteOffset) }
        )
        #expect(report.badCount == 30)
        #expect(offsets.count == 30)
        #expect(offsets == offsets.sorted())
    }

    @Test("can cancel it, which then leaves nothing in the folder, at once", arguments: 1...4)
    func cancelling(calls: Int) throws {
        let group = try fixture.createGroup()
        let before = fixture.scratch.files
        var left = calls
        let error = cancellation(of: group, from: .bytes(Self.document.bytes)) { phase in
            left -= 1
            return left > 0 && phase != .finishing ? .proceed : .cancel
        }
        // An answer to the last news may come too late; one to the first does not.
        #expect(error == .cancelled || (error == nil && calls > 1))
        let expected = error == .cancelled ? 0 : 4_000
        #expect(try group.give().keys("AccessToken").count == expected)
        #expect(fixture.scratch.files == before)
    }

    @Test("can cancel it while a pipe is being set down, which then leaves nothing in the folder, at once")
    func cancellingPipe() throws {
        let group = try fixture.createGroup()
        let before = fixture.scratch.files
        let pipe = Pipe()
        let writer = Thread {
            signal(SIGPIPE, SIG_IGN)
            try? pipe.fileHandleForWriting.write(contentsOf: Data(Self.document.bytes))
            try? pipe.fileHandleForWriting.close()
        }
        writer.start()
        let error = cancellation(of: group, from: .descriptor(pipe.fileHandleForReading.fileDescriptor)) { _ in .cancel
        }
        try pipe.fileHandleForReading.close()
        #expect(error == .cancelled)
        #expect(fixture.scratch.files == before)
    }

    @Test("cancelling the task that imports cancels it")
    func cancellingTask() async throws {
        let group = try fixture.createGroup()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            do throws(TokenCacheError) {
                _ = try group.importEntries(from: .bytes(Self.document.bytes))
                return TokenCacheError.Code?.none
            } catch {
                return error.code
            }
        }
        #expect(await task.value == .cancelled)
    }

    private func cancellation(
        of group: CacheGroup,
        from source: ImportSource,
        answer: (OperationProgress.Phase) -> ProgressAnswer
    ) -> TokenCacheError.Code? {
        withoutActuallyEscaping(answer) { answer in
            do throws(TokenCacheError) {
                _ = try group.importEntries(from: source, progress: { answer($0.phase) })
                return nil
            } catch {
                return error.code
            }
        }
    }
}
