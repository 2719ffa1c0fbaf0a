// SPDX-License-Identifier: Apache-2.0

import CProcessControl
import Foundation
import Sealing
import Testing

@Suite("Hardening")
struct HardeningTests {
    @Test("leaves a process that cannot be dumped or traced")
    func undumpable() async {
        await #expect(processExitsWith: .success) {
            #expect(process_control_is_dumpable() == 1)
            #expect(Hardening.apply())
            #expect(process_control_is_dumpable() == 0)
        }
    }

    @Test("allows no core file")
    func coreLimit() async {
        await #expect(processExitsWith: .success) {
            Hardening.apply()
            var limit = rlimit()
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            #expect(limit.rlim_cur == 0)
            #expect(limit.rlim_max == 0)
        }
    }

    @Test("leaves no memory in a core file that a debugger writes")
    func coreContent() async {
        await #expect(processExitsWith: .success) {
            Hardening.apply()
            let filter = try String(contentsOfFile: "/proc/self/coredump_filter", encoding: .utf8)
            #expect(UInt64(filter.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16) == 0)
        }
    }

    @Test("gives every fatal signal its default action again")
    func signals() async {
        await #expect(processExitsWith: .success) {
            for number in Hardening.fatalSignals { signal(number) { _ in _exit(EXIT_SUCCESS) } }
            Hardening.apply()
            for number in Hardening.fatalSignals {
                var action = sigaction()
                _ = unsafe sigaction(number, nil, &action)
                #expect(unsafe action.__sigaction_handler.sa_handler == nil)
            }
        }
    }

    @Test("lets a crash say nothing about memory")
    func silentCrash() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Hardening.apply()
                unsafe UnsafeMutableRawPointer(bitPattern: 8)?.storeBytes(of: 1, as: UInt8.self)
            }
        )
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(!text.contains("Registers"))
        #expect(!text.contains("crashed"))
    }

    @Test("keeps a crash silent: without it a crash handler is installed", .disabled(if: isSanitized))
    func control() async {
        await #expect(processExitsWith: .success) {
            var caught = 0
            for number in Hardening.fatalSignals {
                var action = sigaction()
                _ = unsafe sigaction(number, nil, &action)
                if unsafe action.__sigaction_handler.sa_handler != nil { caught += 1 }
            }
            // Swift installs them in every program, unless the environment says otherwise.
            let isSwitchedOff = ProcessInfo.processInfo.environment["SWIFT_BACKTRACE"]?.contains("enable=no") ?? false
            #expect(caught > 0 || isSwitchedOff)
        }
    }
}
