// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import TokenCaching

@testable import TokenCacheLibrary

@Suite("The table of handles", .serialized)
struct HandleTableTests {
    private func makeQuery() -> TokenQuery { TokenQuery(accountID: "uid.utid", scopes: ["User.Read"]) }

    // Handles as numbers: no call here touches what they would point to.

    private func insert(_ query: TokenQuery) -> UInt { UInt(bitPattern: unsafe handles.insert(query)) }

    private func query(_ handle: UInt) -> TokenQuery? {
        unsafe try? handles.retained(OpaquePointer(bitPattern: handle), TokenQuery.self)
    }

    @discardableResult
    private func remove(_ handle: UInt) -> TokenQuery? {
        unsafe try? handles.remove(OpaquePointer(bitPattern: handle), TokenQuery.self)
    }

    @Test("a handle is of one type and one object, and is never given again")
    func generations() {
        var seen: Set<UInt> = []
        for _ in 0..<1_000 {
            let query = makeQuery()
            let handle = insert(query)
            #expect(seen.insert(handle).inserted && handle != 0)
            #expect(self.query(handle) === query)
            #expect(unsafe (try? handles.retained(OpaquePointer(bitPattern: handle), TokenCache.self)) == nil)
            #expect(remove(handle) === query)
            #expect(remove(handle) == nil)
            #expect(self.query(handle) == nil)
        }
    }

    @Test("no number but a handle is one")
    func others() {
        let handle = insert(makeQuery())
        defer { remove(handle) }
        let bits = handle
        for bit in 0..<64 {
            #expect(query(bits ^ 1 << bit) == nil)
        }
        for number in [1, 4_095, UInt.max, 1 << 63, 0x9 << 60, bits + 1, bits &- (1 << 20)] {
            #expect(query(number) == nil)
        }
        #expect(query(0) == nil)
    }

    @Test("an object that a reader may still see is released when the reader has left, and not before")
    func readers() {
        weak var query: TokenQuery?
        let handle = {
            let new = makeQuery()
            query = new
            return insert(new)
        }()
        let stripe = handles.pin()
        #expect(unsafe handles.object(OpaquePointer(bitPattern: handle), TokenQuery.self) != nil)
        remove(handle)
        #expect(query != nil)
        // Another removal does not release it either.
        let other = insert(makeQuery())
        remove(other)
        #expect(query != nil)
        handles.unpin(stripe)
        let last = insert(makeQuery())
        remove(last)
        #expect(query == nil)
    }

    @Test("threads read handles that other threads remove and insert")
    func threads() {
        let current = (0..<8).map { _ in Box() }
        let isOver = Atomic<Bool>(false)
        let found = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 6) { thread in
            if thread < 2 {
                for round in 0..<20_000 {
                    let place = current[(round + thread) % current.count]
                    remove(place.value.exchange(insert(makeQuery()), ordering: .sequentiallyConsistent))
                }
                isOver.store(true, ordering: .sequentiallyConsistent)
            } else {
                repeat {
                    for place in current {
                        let bits = place.value.load(ordering: .relaxed)
                        let stripe = handles.pin()
                        if let query = unsafe handles.object(OpaquePointer(bitPattern: bits), TokenQuery.self) {
                            // Reads the object, which a mistake would have released.
                            let scopes = unsafe query._withUnsafeGuaranteedRef { $0.description }
                            if scopes.hasSuffix("1 scopes)") { found.wrappingAdd(1, ordering: .relaxed) }
                        }
                        handles.unpin(stripe)
                    }
                } while !isOver.load(ordering: .sequentiallyConsistent)
            }
        }
        #expect(found.load(ordering: .relaxed) > 0)
        for place in current { remove(place.value.load(ordering: .relaxed)) }
    }

    private final class Box: Sendable {
        let value = Atomic<UInt>(0)
    }
}
