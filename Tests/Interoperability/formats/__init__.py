# SPDX-License-Identifier: Apache-2.0
"""A second reader of the formats, written from Documentation/Formats alone. It shares no code with the program."""
