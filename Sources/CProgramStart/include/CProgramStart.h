// SPDX-License-Identifier: Apache-2.0
/// The command line and the path of a program, as the kernel passed it. Swift reads /proc/self/cmdline instead, and has no arguments
/// where /proc is missing or not readable.
#pragma once

/// The number of arguments, including the name of the program.
int program_argument_count(void);

/// The argument at an index below the number of arguments.
const char *program_argument(int index);

/// The path that the program was started with; null if the kernel does not tell it.
const char *program_path(void);
