# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by common.sh: the options of builds. All scripts that build in the same folder use the same ones, because a build with other
# options would compile everything again. Release builds are tested and measured as scripts/install installs them.

# SwiftPM finds tests in the index that editors read. What it says of Foundation and other libraries takes a quarter of the time
# of a debug build, and variables in debug information a sixth of what is left; a failure is shown with its line all the same.
# shellcheck disable=SC2034 # for the scripts that test
readonly test_build=(-Xswiftc -index-ignore-system-modules -Xswiftc -gline-tables-only)

# In a folder of its own: SwiftPM makes one build at a time in each, and debug and release builds go beside one another.
release_build=(swift build --package-path "${project:?}" --scratch-path "$project/.build/programs" --configuration release
    --static-swift-stdlib)

# cachetool runs for milliseconds, so its start counts. Types are made from what the code knows of them: looked up by name,
# each search for a conformance goes through those of all libraries, which is half of what a lookup costs.
release_build+=(-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors)

# A section for each function, so that the linker can leave out those that nothing calls, and join those that are equal.
release_build+=(-Xswiftc -Xfrontend -Xswiftc -function-sections)

# Programs export no symbols, and no library lies beside them.
release_build+=(--disable-local-rpath -Xlinker --no-export-dynamic)

# The linker that comes with Swift, where it does; and addresses that the loader has to correct in a thirtieth of the space:
# since glibc 2.36.
if command -v ld.lld >/dev/null || [[ -x $(dirname "$(readlink -f "$(command -v swiftc)")")/ld.lld ]]; then
    release_build+=(-Xswiftc -use-ld=lld)
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || glibc=
    if [[ -n $glibc && $(printf '%s\n2.36\n' "${glibc#* }" | sort -V | head -n 1) == 2.36 ]]; then
        release_build+=(-Xlinker -z -Xlinker pack-relative-relocs)
    fi
    unset glibc
fi

# The C++ library goes in with the Swift library, which alone needs it: to bind it takes longer than to start a Swift program.
# The linker takes what it finds first, so it is to find a folder in which there is only the archive.
cxx_library=$(clang -print-file-name=libstdc++.a 2>/dev/null) || cxx_library=
if [[ $cxx_library == /* ]] && mkdir -p "$project/.build/archives" &&
    ln -sfn "$cxx_library" "$project/.build/archives/libstdc++.a"; then
    release_build+=(-Xswiftc "-L$project/.build/archives" -Xswiftc -Xclang-linker -Xswiftc -static-libgcc)
fi
unset cxx_library
readonly release_build

# What asks authorization servers has the network in it, by the trait SignIn: in a folder of its own, since builds with and
# without a trait undo each other.
# shellcheck disable=SC2034 # for the scripts that install it
readonly sign_in_build=("${release_build[@]}" --scratch-path "$project/.build/with-sign-in" --traits SignIn --product cachetool-sign-in)
