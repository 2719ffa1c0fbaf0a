// SPDX-License-Identifier: Apache-2.0

// SAFETY: the kernel reads and writes local values and a buffer whose byte count is passed along; only as many bytes
// as it reports are looked at.

internal import CLinux
internal import Glibc
internal import SystemPackage

extension Syscalls {
    /// Watches a folder for files being written, created, removed or replaced.
    static func watchFolder(_ folder: FileDescriptor, path: String) throws(Errno) -> FileDescriptor {
        let watch = FileDescriptor(rawValue: try retrying { linux_inotify_open() })
        // Name the folder by its descriptor, which refers to the checked folder, or by path if /proc is unavailable.
        if unsafe linux_inotify_watch_folder(watch.rawValue, "/proc/self/fd/\(folder.rawValue)") != -1 { return watch }
        do throws(Errno) {
            _ = try once { unsafe linux_inotify_watch_folder(watch.rawValue, path) }
            return watch
        } catch {
            close(watch)
            throw error
        }
    }

    /// A counter that ``wait(for:or:milliseconds:)`` can wait for.
    static func makeCounter() throws(Errno) -> FileDescriptor {
        FileDescriptor(rawValue: try retrying { linux_eventfd() })
    }

    /// Adds one to a counter. Safe in signal handlers.
    static func raise(_ counter: FileDescriptor) {
        var one: UInt64 = 1
        _ = unsafe Glibc.write(counter.rawValue, &one, 8)
    }

    /// Waits until one of two files is readable or the time is up (-1 for no limit).
    ///
    /// Returns for each file whether it is readable; neither is after a timeout or a signal.
    static func wait(
        for first: FileDescriptor?,
        or second: FileDescriptor,
        milliseconds: Int32
    ) -> (first: Bool, second: Bool) {
        // A negative descriptor is ignored.
        var files = [
            pollfd(fd: second.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: first?.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&files, 2, milliseconds) > 0 else { return (false, false) }
        return (files[1].revents != 0, files[0].revents != 0)
    }

    /// Reads the pending events without waiting for more.
    ///
    /// - Returns: the file names of the events: an empty name for the folder itself, `nil` if the kernel dropped
    ///   events.
    static func readEvents(_ watch: FileDescriptor) -> [String?] {
        var names: [String?] = []
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while true {
                let count = unsafe Glibc.read(watch.rawValue, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var position = 0
                while position + MemoryLayout<inotify_event>.size <= count {
                    let event = unsafe buffer.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
                    let start = position + MemoryLayout<inotify_event>.size
                    let end = min(count, start + Int(event.len))
                    let bytes = unsafe buffer[start..<end].prefix { $0 != 0 }
                    let isOverflow = event.mask & UInt32(bitPattern: Int32(IN_Q_OVERFLOW)) != 0
                    names.append(isOverflow ? nil : unsafe String(decoding: bytes, as: UTF8.self))
                    position = end
                }
            }
        }
        return names
    }
}
