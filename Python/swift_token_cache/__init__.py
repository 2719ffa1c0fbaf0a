# SPDX-License-Identifier: Apache-2.0
"""The sealed token cache of swift-token-cache for programs that use MSAL Python.

A group of programs shares its accounts and tokens, encrypted on disk. Give MSAL the cache, and use MSAL as always::

    import msal
    from swift_token_cache import SharedTokenCache

    cache = SharedTokenCache("com.contoso.sso", CLIENT_ID)
    app = msal.PublicClientApplication(CLIENT_ID, token_cache=cache)
"""

from ._library import TokenCacheError
from ._shared import SharedTokenCache

__all__ = ["SharedTokenCache", "TokenCacheError"]
