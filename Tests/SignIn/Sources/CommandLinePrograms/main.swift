// SPDX-License-Identifier: Apache-2.0

// Does nothing: what it depends on is built beside it.
