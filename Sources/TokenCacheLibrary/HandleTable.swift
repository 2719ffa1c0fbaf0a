// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RecordStorage
internal import Synchronization

/// The table of this process.
let handles = HandleTable()

/// The objects behind the handles that callers hold.
///
/// A handle is the number of a slot, a generation and a kind. It is compared with what the slot stores before the
/// object is touched, so one that was closed, or never was one, is only a number that differs. Its highest bit is set:
/// no address of a Linux process looks like that, and a runtime that examines pointers, as Go's does, ignores it.
///
/// A reader takes no reference to an object, because threads that share a cache would then contend for its count. It
/// announces itself in one of a few counters instead (``pin()``). An object that was removed is released as soon as
/// each counter was zero once since: every reader that may have seen it has left by then.
@safe final class HandleTable: @unchecked Sendable {
    // SAFETY: slots and counters are atomic, and live as long as the process. A slot's object is written before its
    // handle is published, and not again until no reader that saw the handle is left. Everything else is accessed only
    // under the lock.
    @safe private struct Slot: ~Copyable {
        /// The handle in use; 0 if there is none.
        let handle = Atomic<UInt>(0)
        /// Owns one reference while the slot is in use.
        var object: UnsafeMutableRawPointer?
    }

    /// As long as two lines of the processor's cache, which it loads in pairs.
    private struct Stripe: ~Copyable {
        let readers = Atomic<Int>(0)
        private let padding = InlineArray<15, UInt64>(repeating: 0)
    }

    /// Slots that were emptied together.
    private struct Emptied {
        var slots: [Int]
        /// The counters, as bits, that have not been zero since.
        var busyStripes: UInt32
    }

    static let capacity = 1 << 18
    private static let slotBits = 20
    private static let generationBits = 40
    private static let stripeCount = 16

    private let slots: UnsafeMutablePointer<Slot>
    private let stripes: UnsafeMutablePointer<Stripe>
    private let lock = ForkableLock()
    private var usedCount = 0
    private var freeSlots: [Int] = []
    private var emptied: [Emptied] = []
    private var generation: UInt = 0
    /// The newest handle's generation when this process was forked; 0 in a process that was not.
    private var inheritedGeneration: UInt = 0

    fileprivate init() {
        // Zeroed pages, which take no memory before they are used. Without them nothing works, as without any other
        // memory.
        let memory = unsafe mmap(
            nil,
            Self.capacity * MemoryLayout<Slot>.stride,
            PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
            -1,
            0
        )
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
            fatalError("there is no memory for handles")
        }
        unsafe slots = memory.bindMemory(to: Slot.self, capacity: Self.capacity)
        let stripes = UnsafeMutableRawPointer.allocate(
            byteCount: Self.stripeCount * MemoryLayout<Stripe>.stride,
            alignment: MemoryLayout<Stripe>.stride
        )
        unsafe self.stripes = stripes.bindMemory(to: Stripe.self, capacity: Self.stripeCount)
        for index in 0..<Self.stripeCount { unsafe (self.stripes + index).initialize(to: Stripe()) }
        pthread_atfork({ handles.lock.lock() }, { handles.lock.unlock() }, { handles.noteFork() })
    }

    // MARK: - Reading

    /// Announces a reader. Pass the result to ``unpin(_:)``, soon: meanwhile nothing that is removed can be released.
    @inline(__always)
    func pin() -> Int {
        // Threads have stacks of their own, so this differs between them, and is known without a call.
        var place: UInt8 = 0
        let address = unsafe withUnsafeMutablePointer(to: &place) { UInt(bitPattern: $0) }
        let stripe = Int(truncatingIfNeeded: ((address >> 16) &* 0x9E37_79B9_7F4A_7C15) >> 60)
        // Sequentially consistent, as is the store of `remove`: either that sees this reader, or this reader sees no
        // handle.
        unsafe stripes[stripe].readers.wrappingAdd(1, ordering: .sequentiallyConsistent)
        return stripe
    }

    @inline(__always)
    func unpin(_ stripe: Int) {
        unsafe stripes[stripe].readers.wrappingSubtract(1, ordering: .releasing)
    }

    /// The object of a handle, for a reader that is pinned; nil if the handle is none of this type.
    @inline(__always)
    func object<Object: Handled>(_ pointer: OpaquePointer?, _ type: Object.Type) -> Unmanaged<Object>? {
        let handle = UInt(bitPattern: pointer)
        let slot = Int(handle & (1 << UInt(Self.slotBits) - 1))
        guard handle >> 60 == Object.kind, slot < Self.capacity,
            unsafe slots[slot].handle.load(ordering: .sequentiallyConsistent) == handle,
            let object = unsafe slots[slot].object
        else { return nil }
        // SAFETY: the kind is part of the handle, so the object was stored with this type.
        return unsafe Unmanaged.fromOpaque(object)
    }

    /// A reference to the object of a handle, for calls that may take long.
    ///
    /// - Throws: `TOKENCACHE_INVALID_HANDLE` if the handle is none of this type, and `TOKENCACHE_FORKED_PROCESS` if it is
    ///   one of the parent of this process.
    func retained<Object: Handled>(_ pointer: OpaquePointer?, _ type: Object.Type) throws(CallFailure) -> Object {
        let stripe = pin()
        defer { unpin(stripe) }
        guard let object = unsafe object(pointer, type)?.takeUnretainedValue() else { throw .invalidHandle }
        if unsafe isInherited(pointer) { throw .forkedProcess }
        return object
    }

    /// Whether a handle is one of the parent of this process.
    @inline(__always)
    func isInherited(_ pointer: OpaquePointer?) -> Bool {
        let generation = UInt(bitPattern: pointer) >> UInt(Self.slotBits) & (1 << UInt(Self.generationBits) - 1)
        return generation <= inheritedGeneration
    }

    // MARK: - Changing

    /// Stores an object.
    ///
    /// - Returns: its handle; nil if the table is full.
    func insert<Object: Handled>(_ object: Object) -> OpaquePointer? {
        lock.lock()
        defer { lock.unlock() }
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            guard usedCount < Self.capacity else { return nil }
            slot = usedCount
            usedCount += 1
        }
        generation = (generation &+ 1) & (1 << UInt(Self.generationBits) - 1)
        let handle = Object.kind << 60 | generation << UInt(Self.slotBits) | UInt(slot)
        unsafe slots[slot].object = Unmanaged.passRetained(object).toOpaque()
        unsafe slots[slot].handle.store(handle, ordering: .sequentiallyConsistent)
        return unsafe OpaquePointer(bitPattern: handle)
    }

    /// Removes a handle.
    ///
    /// - Returns: its object.
    /// - Throws: as ``retained(_:_:)``; also if another thread removed it.
    @discardableResult
    func remove<Object: Handled>(_ pointer: OpaquePointer?, _ type: Object.Type) throws(CallFailure) -> Object {
        let found = unsafe try retained(pointer, type)
        let handle = UInt(bitPattern: pointer)
        let slot = Int(handle & (1 << UInt(Self.slotBits) - 1))
        lock.lock()
        guard unsafe slots[slot].handle.load(ordering: .relaxed) == handle else {
            lock.unlock()
            throw .invalidHandle
        }
        unsafe slots[slot].handle.store(0, ordering: .sequentiallyConsistent)
        let unused = emptiedObjects(adding: slot)
        // Released outside the lock, because that may take long.
        withExtendedLifetime(unused) { lock.unlock() }
        return found
    }

    /// In a child: what the parent opened stays as it is, because closing it is up to the parent.
    private func noteFork() {
        inheritedGeneration = generation
        emptied = []
        // Other threads of the parent, which do not leave here.
        for index in 0..<Self.stripeCount { unsafe stripes[index].readers.store(0, ordering: .relaxed) }
        lock.unlock()
    }

    /// The objects that no reader can have any more. Their slots are free.
    private func emptiedObjects(adding slot: Int) -> [AnyObject] {
        var busy: UInt32 = 0
        for index in 0..<Self.stripeCount
        where unsafe stripes[index].readers.load(ordering: .sequentiallyConsistent) != 0 {
            busy |= 1 << UInt32(index)
        }
        for index in emptied.indices { emptied[index].busyStripes &= busy }
        if let last = emptied.indices.last, emptied[last].busyStripes == busy {
            emptied[last].slots.append(slot)
        } else {
            emptied.append(Emptied(slots: [slot], busyStripes: busy))
        }
        var unused: [AnyObject] = []
        for slot in emptied.lazy.filter({ $0.busyStripes == 0 }).flatMap(\.slots) {
            if let object = unsafe slots[slot].object {
                unsafe unused.append(Unmanaged<AnyObject>.fromOpaque(object).takeRetainedValue())
            }
            unsafe slots[slot].object = nil
            freeSlots.append(slot)
        }
        emptied.removeAll { $0.busyStripes == 0 }
        return unused
    }
}
