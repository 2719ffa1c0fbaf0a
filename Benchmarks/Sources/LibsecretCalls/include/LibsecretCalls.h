// SPDX-License-Identifier: Apache-2.0
// What an application does that keeps its tokens in the keyring by libsecret's own calls: one item for each account, with
// all of a response in it. The library is opened at run time, so that no headers are needed.
#pragma once

#include <stdbool.h>

/// Whether the library is there. Call nothing else before.
bool libsecret_bind(void);

/// Makes the item with this key, or gives it another secret.
bool libsecret_store(const char *key, const char *secret);

/// The length of the secret of the item with this key; -1 where there is none.
long libsecret_lookup(const char *key);

/// The number of items, all of which were read with their secrets; -1 where that failed.
long libsecret_list(void);

/// Ends the connection: the next call makes another one.
void libsecret_disconnect(void);
