/* SPDX-License-Identifier: Apache-2.0 */
/**
 * tokencache.h: the token cache of swift-token-cache for programs in C, and for every language that can call C.
 *
 * Link with `pkg-config --cflags --libs tokencache`. Needs a 64-bit Linux.
 *
 * Results. Every function that can fail returns TOKENCACHE_OK or one of the numbers below, which never change their
 * meaning. That a token has to be renewed, or that the user has to sign in, is no error: see tokencache_info.
 *
 * Handles. tokencache and the other types that are declared without members are numbers, not addresses. A handle
 * that was closed, or is none, or is of another type, gives TOKENCACHE_INVALID_HANDLE, and nothing happens. Nothing
 * else has to be freed.
 *
 * Texts are UTF-8 with a zero byte at the end. Where a text may be absent, NULL says so; where it may not, NULL gives
 * TOKENCACHE_INVALID_REQUEST, as do bytes that are not UTF-8.
 *
 * Structures begin with `struct_size`, which the caller sets to sizeof. Later versions may append members: a library
 * never reads or writes beyond the size that it was given, and refuses members that it does not know, unless they are
 * zero. Set all other members to zero before you fill them in. What receives a result is unchanged if the function
 * fails, and a tokencache_error if it succeeds.
 *
 * Threads. Caches, queries and groups can be used from any thread at the same time; one query for each thread is
 * quickest. A renewal or a document is for one thread at a time. The library starts no thread for groups in a file or
 * in memory, unless TOKENCACHE_BACKGROUND_THREADS allows one; a keyring is asked on threads. It installs no signal
 * handler and writes to no standard stream.
 *
 * fork. A child process opens the cache again: every handle of its parent, queries too, gives
 * TOKENCACHE_FORKED_PROCESS there, and only the parent can close it. If the parent used a keyring, start the child with
 * posix_spawn or exec instead.
 *
 * Callbacks run on the calling thread, before the function returns. They must return normally: no exception, no
 * longjmp.
 */
#ifndef TOKENCACHE_H
#define TOKENCACHE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open group, as seen by one of its applications. */
typedef struct tokencache tokencache;
/** A question for a token, prepared once and asked as often as needed. */
typedef struct tokencache_query tokencache_query;
/** A renewal that has begun. No other thread or process renews the same token until it has ended. */
typedef struct tokencache_renewal tokencache_renewal;
/** An open group as a whole. */
typedef struct tokencache_group tokencache_group;
/**
 * What one client was handed of a group as a document: which versions of which entries. It contains no tokens, except
 * until tokencache_document_copy_text if there is no sink.
 */
typedef struct tokencache_document tokencache_document;

/** Results. New ones may be added: treat an unknown number as a failure, and show the message of tokencache_error. */
enum {
    TOKENCACHE_OK = 0,

    /* Arguments of the caller */
    TOKENCACHE_INVALID_REQUEST = 1,
    TOKENCACHE_INVALID_RESPONSE = 2,
    TOKENCACHE_MALFORMED_DOCUMENT = 3,
    TOKENCACHE_TOO_LARGE = 4,
    TOKENCACHE_INVALID_NAME = 5,
    TOKENCACHE_HOME_MISSING = 6,
    TOKENCACHE_NOT_FOUND = 7,
    TOKENCACHE_EXISTS = 8,
    TOKENCACHE_STORAGE_MISMATCH = 9,
    TOKENCACHE_STORAGE_MOVED = 10,
    TOKENCACHE_CLOSED = 11,

    /* Waiting and room */
    TOKENCACHE_BUSY = 20,
    TOKENCACHE_TIMEOUT = 21,
    TOKENCACHE_FULL = 22,
    TOKENCACHE_INDETERMINATE = 23,
    TOKENCACHE_OUT_OF_MEMORY = 24,
    TOKENCACHE_CANCELLED = 25,
    TOKENCACHE_SYSTEM = 26,

    /* Files */
    TOKENCACHE_UNSAFE_PERMISSIONS = 40,
    TOKENCACHE_UNSAFE_FILE = 41,
    TOKENCACHE_NETWORK_FILE_SYSTEM = 42,
    TOKENCACHE_READ_ONLY = 43,
    TOKENCACHE_DAMAGED = 44,
    TOKENCACHE_FOREIGN = 45,
    TOKENCACHE_UNSUPPORTED_VERSION = 46,

    /* Keys */
    TOKENCACHE_KEY_REJECTED = 60,
    TOKENCACHE_KEY_MISSING = 61,
    TOKENCACHE_KEY_FILE_INVALID = 62,
    TOKENCACHE_UNSUPPORTED_KDF = 63,
    TOKENCACHE_PASSPHRASE_SLOT_EXISTS = 64,
    TOKENCACHE_LAST_SLOT = 65,
    TOKENCACHE_TOO_MANY_SLOTS = 66,
    TOKENCACHE_SLOT_NOT_FOUND = 67,
    TOKENCACHE_FORKED_PROCESS = 68,

    /* The keyring */
    TOKENCACHE_KEYRING_MISSING = 80,
    TOKENCACHE_KEYRING_LOCKED = 81,
    TOKENCACHE_PROMPT_DISMISSED = 82,
    TOKENCACHE_PROMPT_PENDING = 83,
    TOKENCACHE_KEYRING_REFUSED = 84,
    TOKENCACHE_KEYRING_ITEM_MISSING = 85,
    TOKENCACHE_GROUP_ELSEWHERE = 86,
    TOKENCACHE_ROLLBACK_SUSPECTED = 87,

    /* Tokens */
    TOKENCACHE_TOKEN_GONE = 100,
    TOKENCACHE_SIGNED_OUT = 101,
    TOKENCACHE_RENEWAL_BUSY = 102,
    TOKENCACHE_RENEWAL_FAILED = 103,
    TOKENCACHE_RENEWAL_UNAVAILABLE = 104,
    TOKENCACHE_SEVERAL_ACCOUNTS = 105,

    /* Of this interface only */
    /** The handle was closed, or is none, or is of another type. */
    TOKENCACHE_INVALID_HANDLE = 200,
    /** The buffer is smaller than what it is for; `count` says what is needed. Nothing was written to it. */
    TOKENCACHE_BUFFER_TOO_SMALL = 201,
    /** The server answered a renewal with tokens of another account. Nothing was saved. */
    TOKENCACHE_ACCOUNT_MISMATCH = 202,
    /** There are 262,144 open handles. */
    TOKENCACHE_TOO_MANY_HANDLES = 203
};

/** What went wrong, in memory of the caller, so that it belongs to a call and not to a thread. Set `struct_size`. */
typedef struct tokencache_error {
    uint32_t struct_size;
    /** The result of the function. */
    int32_t code;
    /** The errno behind it; 0 if there is none. */
    int32_t system_error;
    uint32_t reserved;
    /** Where in a document; -1 if that is not known. */
    int64_t byte_offset;
    /** What happened and what to do, for people. Never a token or a user's name; it may name a file. Cut to its room. */
    char message[480];
} tokencache_error;

/** Where a group keeps its records. */
enum {
    /** The group's own store; for a new group the keyring, or else the encrypted file. */
    TOKENCACHE_STORAGE_AUTOMATIC = 0,
    TOKENCACHE_STORAGE_FILE = 1,
    TOKENCACHE_STORAGE_KEYRING = 2,
    /** This process's memory only. */
    TOKENCACHE_STORAGE_MEMORY = 3
};

/** Flags of tokencache_options. */
enum {
    /** The keyring may prompt the user while the group is opened. */
    TOKENCACHE_KEYRING_PROMPTS = 1,
    /** The file may be unlocked by an item in the keyring. */
    TOKENCACHE_UNLOCK_BY_KEYRING = 2,
    /** Compaction, and retries after a failed read, may use a thread; otherwise call tokencache_maintain. */
    TOKENCACHE_BACKGROUND_THREADS = 4
};

/** For `timeout_ms`: two seconds in tokencache_options, and what that says in other calls. */
#define TOKENCACHE_DEFAULT_TIMEOUT 0

/**
 * How to open a group. All zero, but for struct_size, is what NULL means.
 *
 * Keys are for TOKENCACHE_STORAGE_FILE. With none of them, it is the group's own key file, which the library creates.
 * With several, each opens the group, and a new group gets a key slot for each.
 */
typedef struct tokencache_options {
    uint32_t struct_size;
    int32_t storage;
    uint32_t flags;
    /** How long a call may wait for a lock or for storage, in milliseconds. */
    uint32_t timeout_ms;
    /** The parent of group folders; NULL for $XDG_DATA_HOME/swift-token-cache. */
    const char *root;
    /** A file with 32 to 4,096 secret bytes. It is created with a new group. */
    const char *key_file;
    /** A file with such bytes that is mounted for the process, and is only read. */
    const char *mounted_secret;
    /** The name of a systemd credential with such bytes. */
    const char *credential;
    /** The collection of the keyring; NULL for the default one. */
    const char *collection;
    /** A passphrase of 1 to 4,096 bytes; copied. NULL for none. */
    const uint8_t *passphrase;
    size_t passphrase_count;
} tokencache_options;

/** Whose token a query asks for. */
enum {
    /** That of the account with this home account id. */
    TOKENCACHE_BY_ACCOUNT_ID = 1,
    /** That of the account with this username. */
    TOKENCACHE_BY_USERNAME = 2,
    /** The application's own (client credentials); `account` is NULL, and `tenant` is needed. */
    TOKENCACHE_OF_APPLICATION = 3
};

/** Flags of tokencache_terms. */
enum {
    /** Pass over stored access tokens, and renew. */
    TOKENCACHE_FORCE_REFRESH = 1,
    /** Accept an expired token within its extended lifetime. */
    TOKENCACHE_EXTENDED_LIFETIME = 2
};

/** What a query asks for. Members that are NULL demand nothing. */
typedef struct tokencache_terms {
    uint32_t struct_size;
    /** TOKENCACHE_BY_ACCOUNT_ID or one of the others. */
    int32_t subject;
    uint32_t flags;
    uint32_t reserved;
    const char *account;
    /** Separated by spaces, as in OAuth. */
    const char *scopes;
    const char *tenant;
    /** The host of the authority, such as login.microsoftonline.com. */
    const char *environment;
    /** NULL for bearer. */
    const char *token_type;
    const char *key_id;
    /** The claims that a resource demanded: stored access tokens are passed over. */
    const char *claims_challenge;
    /** What isolates the token from others with the same scopes; see the documentation of TokenQueryOptions. */
    const char *isolated_claims;
    const char *extended_cache_key;
    const char *application_identifier;
    const char *user_assertion_hash;
} tokencache_terms;

/** How tokens were obtained. */
enum {
    /** The user signed in: authorization code, device code, password; or on behalf of a user. */
    TOKENCACHE_GRANT_INTERACTIVE = 1,
    /** A refresh token was redeemed outside tokencache_renewal_begin. Never brings back an account that signed out. */
    TOKENCACHE_GRANT_RENEWAL = 2,
    /** The application used its own credentials. */
    TOKENCACHE_GRANT_APPLICATION = 3
};

/** The request that a response belongs to: what the response does not say. Members that are NULL are not known. */
typedef struct tokencache_request {
    uint32_t struct_size;
    /** TOKENCACHE_GRANT_INTERACTIVE or one of the others. */
    int32_t grant;
    /** The host of the authority that answered. Not NULL. */
    const char *environment;
    /** The tenant that was asked. Not NULL. */
    const char *tenant;
    /** The scopes that were asked for, separated by spaces. They count as granted if the response names none. */
    const char *scopes;
    /** The account that the tokens are for, where it is known. */
    const char *account_id;
    const char *key_id;
    const char *isolated_claims;
    const char *extended_cache_key;
    const char *application_identifier;
    const char *user_assertion_hash;
} tokencache_request;

/** What a query gets. New ones may be added: treat an unknown one as TOKENCACHE_INTERACTION_REQUIRED. */
enum {
    /** A valid access token. */
    TOKENCACHE_VALID = 1,
    /** A refresh token has to be redeemed: tokencache_renewal_begin. */
    TOKENCACHE_RENEW = 2,
    /** The user has to sign in, for the reason in `reason`. */
    TOKENCACHE_INTERACTION_REQUIRED = 3,
    /** The server granted fewer scopes than the query asks for. */
    TOKENCACHE_SCOPES_DECLINED = 4
};

/** Why TOKENCACHE_INTERACTION_REQUIRED. */
enum {
    TOKENCACHE_ACCOUNT_UNKNOWN = 1,
    TOKENCACHE_REFRESH_TOKEN_MISSING = 2,
    TOKENCACHE_TOKENS_EXPIRED = 3,
    TOKENCACHE_CLAIMS_REQUESTED = 4,
    TOKENCACHE_REFRESH_TOKEN_LOST = 5,
    TOKENCACHE_RENEWAL_REFUSED = 6,
    TOKENCACHE_SCOPES_NOT_GRANTED = 7,
    TOKENCACHE_ACCOUNT_SIGNED_OUT = 8,
    TOKENCACHE_USERNAME_OF_SEVERAL = 9,
    TOKENCACHE_OTHER_ACCOUNT_ANSWERED = 10,
    TOKENCACHE_APPLICATION_TOKEN_MISSING = 11
};

/** Flags of tokencache_info. */
enum {
    /** Valid, but the server wants it renewed by now. */
    TOKENCACHE_RENEW_SOON = 1,
    /** The newest state could not be read. */
    TOKENCACHE_STALE = 2,
    /** Expired, and within the extended lifetime that the query accepts. */
    TOKENCACHE_EXTENDED = 4
};

/** The answer to a query. Times are in seconds since 1970; 0 if they are not known. */
typedef struct tokencache_info {
    uint32_t struct_size;
    int32_t decision;
    uint32_t flags;
    int32_t reason;
    int64_t expires_on;
    int64_t refresh_on;
    int64_t extended_expires_on;
} tokencache_info;

/**
 * Receives bytes, which are gone when it returns. Anything but 0 ends the call with TOKENCACHE_CANCELLED.
 */
typedef int32_t (*tokencache_sink)(void *context, const uint8_t *bytes, size_t count);

/** The version of this interface: 1. */
uint32_t tokencache_abi_version(void);

/** Overwrites memory in a way that no compiler leaves out. NULL is allowed. */
void tokencache_wipe(void *memory, size_t count);

/**
 * Opens a group for one of its applications, and creates the group if there is none.
 *
 * @param options NULL for the defaults.
 * @param cache   Receives the handle; NULL if this fails.
 * @param error   NULL if only the result is of interest; so in all functions.
 */
int32_t tokencache_open(const char *group, const char *client_id, const tokencache_options *options,
                        tokencache **cache, tokencache_error *error);

/** Closes a cache. What other threads are doing with it ends in TOKENCACHE_CLOSED. NULL is allowed. */
int32_t tokencache_close(tokencache *cache);

/** Prepares a query. Keep those that you repeat: they remember their last answer. */
int32_t tokencache_query_new(const tokencache_terms *terms, tokencache_query **query, tokencache_error *error);

/** NULL is allowed. */
int32_t tokencache_query_free(tokencache_query *query);

/**
 * Answers a query without opening any secret. Repeated, it takes some dozen nanoseconds, makes no system call and waits
 * for nobody, and yet sees what other processes changed.
 *
 * @param info Receives the answer.
 */
int32_t tokencache_lookup(tokencache *cache, tokencache_query *query, tokencache_info *info, tokencache_error *error);

/**
 * Answers a query, and copies the access token if there is a valid one. Wipe the buffer with tokencache_wipe.
 *
 * @param info   As for tokencache_lookup; NULL if only the token is of interest.
 * @param buffer NULL only if `capacity` is 0.
 * @param count  Receives the length of the token, which has no zero byte at its end; 0 unless it is valid.
 */
int32_t tokencache_token(tokencache *cache, tokencache_query *query, tokencache_info *info, uint8_t *buffer,
                         size_t capacity, size_t *count, tokencache_error *error);

/** The same, with the token in locked memory that is wiped when `use` returns. Without a token, `use` is not called. */
int32_t tokencache_with_token(tokencache *cache, tokencache_query *query, tokencache_info *info, tokencache_sink use,
                              void *context, tokencache_error *error);

/**
 * Saves the body of a successful response of a token endpoint: all of it, durably, or nothing.
 *
 * @param response Copied. Wipe it afterwards.
 * @param account  Receives the account as an element of what tokencache_accounts gives; NULL if that is of no interest.
 *                 It is not called for an application's own tokens. The tokens are saved by then: what it returns changes
 *                 only the result.
 */
int32_t tokencache_save(tokencache *cache, const tokencache_request *request, const uint8_t *response, size_t count,
                        uint32_t timeout_ms, tokencache_sink account, void *context, tokencache_error *error);

/**
 * The accounts that the application is signed in to, as one JSON array of objects with `id`, `username` (absent if not
 * known), `environment` and `tenant_profiles`, whose elements have `tenant`, `environment` and, if known,
 * `local_account_id`, `username` and `name`. Later versions may add members.
 */
int32_t tokencache_accounts(tokencache *cache, uint32_t timeout_ms, tokencache_sink sink, void *context,
                            tokencache_error *error);

/** Signs this application out of an account. */
int32_t tokencache_sign_out(tokencache *cache, const char *account_id, uint32_t timeout_ms, tokencache_error *error);

/** Rewrites the file of the group without its dead bytes, if that is worth it. For a quiet moment, now and then. */
int32_t tokencache_maintain(tokencache *cache, uint32_t timeout_ms, tokencache_error *error);

/**
 * Begins to renew what a query asks for, once in the whole group: while another thread or process renews the same
 * token, this waits and then gets its result.
 *
 * If the decision is TOKENCACHE_RENEW, `renewal` receives a handle: send the refresh token to the token endpoint, and
 * end with tokencache_renewal_finish or tokencache_renewal_cancel. Otherwise `renewal` receives NULL.
 *
 * @param timeout_ms How long to wait for others; TOKENCACHE_DEFAULT_TIMEOUT for one minute.
 * @param info       As for tokencache_lookup. Not NULL.
 */
int32_t tokencache_renewal_begin(tokencache *cache, tokencache_query *query, uint32_t timeout_ms,
                                 tokencache_renewal **renewal, tokencache_info *info, tokencache_error *error);

/** The host of the token endpoint, as text with a zero byte that `count` leaves out and `capacity` includes. */
int32_t tokencache_renewal_host(tokencache_renewal *renewal, char *buffer, size_t capacity, size_t *count,
                                tokencache_error *error);

/** The tenant to ask there, in the same form. */
int32_t tokencache_renewal_tenant(tokencache_renewal *renewal, char *buffer, size_t capacity, size_t *count,
                                  tokencache_error *error);

/** Copies the refresh token, as tokencache_token copies an access token. */
int32_t tokencache_renewal_copy_secret(tokencache_renewal *renewal, uint8_t *buffer, size_t capacity, size_t *count,
                                       tokencache_error *error);

/**
 * Ends a renewal with what the server answered: saves new tokens, or notes the refusal for the whole group.
 *
 * The handle is closed, unless the decision is TOKENCACHE_RENEW: then the server refused one refresh token, and the
 * account has another one to try in the same way. If this fails, call tokencache_renewal_cancel, which is harmless if
 * the handle is closed already.
 *
 * @param http_status The status; 0 if the server could not be reached.
 * @param body        The body; NULL only if `count` is 0.
 * @param retry_after The header Retry-After; NULL if there was none.
 * @param info        As for tokencache_lookup. Not NULL.
 */
int32_t tokencache_renewal_finish(tokencache_renewal *renewal, int32_t http_status, const uint8_t *body, size_t count,
                                  const char *retry_after, tokencache_info *info, tokencache_error *error);

/** Ends a renewal without a result: the next caller may try. NULL is allowed. */
int32_t tokencache_renewal_cancel(tokencache_renewal *renewal);

/** Opens a group as a whole. It must exist. `options` as for tokencache_open. */
int32_t tokencache_group_open(const char *group, const tokencache_options *options, tokencache_group **handle,
                              tokencache_error *error);

/** NULL is allowed. */
int32_t tokencache_group_close(tokencache_group *group);

/**
 * A number that changes whenever any process changes the group: compare it with the one before to learn whether to read
 * again. It costs one load from memory. It has no order, and means nothing after the group was opened again.
 */
int32_t tokencache_group_revision(tokencache_group *group, uint64_t *revision, tokencache_error *error);

/** Flags of tokencache_view. */
enum {
    /**
     * An edited document of zero bytes, white space or `{}` means that every entry was removed. Otherwise it is refused,
     * because it is usually the result of an error. A document whose sections are empty never is.
     */
    TOKENCACHE_ALLOW_EMPTY = 1
};

/** Which part of a group a document contains. */
typedef struct tokencache_view {
    uint32_t struct_size;
    uint32_t flags;
    /** The client whose library reads the document. Not NULL. */
    const char *client_id;
    /**
     * The home account id of an account, or the username of one without an id, for a document of that account only: some
     * kB. NULL for all accounts that the client did not sign out of, and for the tokens of the application itself.
     */
    const char *account;
} tokencache_view;

/** What a merge did, as numbers of entries, and of accounts in `signed_out`. */
typedef struct tokencache_report {
    uint32_t struct_size;
    uint32_t written;
    /** Without those of accounts that were signed out. */
    uint32_t removed;
    uint32_t signed_out;
    /** Edited entries left out because the client was signed out, or the account removed, since the document was read. */
    uint32_t refused;
    /** Edits left out because what the group has by now is newer. */
    uint32_t kept;
    /** Edited entries left out because they are another client's, or not of the account of the view. */
    uint32_t ignored;
} tokencache_report;

/**
 * Reads the cache of one client as a document that its library can load, edit and give back: unified JSON, with five
 * sections even if they are empty. For libraries that load and store their cache as a whole, such as MSAL.
 *
 * It contains the client's own tokens, the refresh tokens of other clients that it may redeem as a member of their
 * family, the accounts, and the client's app metadata; never other tokens of other clients.
 *
 * Load tokencache_group_revision before: as long as it has not changed, the document is up to date.
 *
 * @param document Receives the handle to merge the edited document with; NULL if this fails.
 * @param sink     Receives the document, at once. It contains tokens in plaintext. NULL if they are to be copied.
 */
int32_t tokencache_document_read(tokencache_group *group, const tokencache_view *view, tokencache_document **document,
                                 tokencache_sink sink, void *context, tokencache_error *error);

/**
 * Copies the document that was read without a sink, once: for languages in which a callback may not fail in ways of its
 * own. Then the library wipes it.
 *
 * @param buffer NULL only if `capacity` is 0.
 * @param count  Receives the length of the document, which has no zero byte at its end.
 */
int32_t tokencache_document_copy_text(tokencache_document *document, uint8_t *buffer, size_t capacity, size_t *count,
                                      tokencache_error *error);

/**
 * Merges what the library made of the document into the group, in one transaction: what it did not change stays as the
 * group has it by now, what it changed or added is saved, what it removed is removed unless somebody changed it
 * meanwhile. If an account is removed with its tokens, the client is signed out of it. After a sign-out by another
 * process, only an interactive sign-in brings an account back.
 *
 * Afterwards the edited document is what the client was handed, so that it may be edited and merged again; merged
 * twice, it changes nothing. Without edits this costs no access to the group. Nothing is changed if this fails, except
 * perhaps after TOKENCACHE_INDETERMINATE.
 *
 * @param edited The whole document. Copied. Wipe it afterwards.
 * @param report Receives what was done; NULL if that is of no interest.
 */
int32_t tokencache_document_merge(tokencache_document *document, const uint8_t *edited, size_t count, uint32_t timeout_ms,
                                  tokencache_report *report, tokencache_error *error);

/** NULL is allowed. */
int32_t tokencache_document_free(tokencache_document *document);

#ifdef __cplusplus
}
#endif

#endif
