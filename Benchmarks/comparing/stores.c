// SPDX-License-Identifier: Apache-2.0
/* What other stores need for the same work. Libraries are opened at run time, so that no headers are needed.
 *
 *     stores sqlite LIBRARY FOLDER ACCOUNTS [KEY]     SQLite, or SQLCipher with a raw key of 64 hexadecimal digits
 *
 * Prints lines of a name and nanoseconds, the median of many rounds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ACCESS_TOKEN = 2008, REFRESH_TOKEN = 1206, ID_TOKEN = 1359, ACCOUNT = 420, MOST_ROUNDS = 20000 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

static void give_up(const char *what) {
    fprintf(stderr, "stores: %s\n", what);
    exit(1);
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found) give_up(name);
    return found;
}

static double times[MOST_ROUNDS];
/* What one response comes to. */
static const unsigned char bytes[ACCESS_TOKEN + REFRESH_TOKEN + ID_TOKEN + ACCOUNT];

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return (difference > 0) - (difference < 0);
}

static void report(const char *name, int rounds) {
    qsort(times, rounds, sizeof *times, ascending);
    printf("%s %.0f\n", name, times[rounds / 2]);
    fflush(stdout);
}

/* As long as the keys of the unified cache are. */
static void make_key(char *key, const char *kind, int account) {
    sprintf(key,
            "%08x-1c5e-4b7c-a4c5-2f3f8e9d6b02.7d1a33c1-5b0e-4b7c-a4c5-2f3f8e9d6b02-login.windows.net-%s-"
            "6c05e3c4-9d0f-4c62-9a5b-0d2a4f9c1b7e-7d1a33c1-5b0e-4b7c-a4c5-2f3f8e9d6b02-"
            "calendars.read files.readwrite mail.read user.read profile openid",
            account * 2654435761u, kind);
}

static const struct {
    const char *kind;
    int size;
} entries[] = {
    {"accesstoken", ACCESS_TOKEN}, {"refreshtoken", REFRESH_TOKEN}, {"idtoken", ID_TOKEN}, {"account", ACCOUNT}};

/* ---- SQLite */

static int (*sq_open)(const char *, void **, int, const char *);
static int (*sq_exec)(void *, const char *, void *, void *, char **);
static int (*sq_prepare)(void *, const char *, int, void **, const char **);
static int (*sq_bind_text)(void *, int, const char *, int, void *);
static int (*sq_bind_blob)(void *, int, const void *, int, void *);
static int (*sq_step)(void *);
static int (*sq_reset)(void *);
static int (*sq_finalize)(void *);
static int (*sq_close)(void *);
static const void *(*sq_blob)(void *, int);
static int (*sq_bytes)(void *, int);

static void execute(void *database, const char *statement) {
    char *message = NULL;
    if (sq_exec(database, statement, NULL, NULL, &message)) give_up(message ? message : statement);
}

static void *open_database(const char *path, const char *key) {
    void *database;
    if (sq_open(path, &database, 2 | 4, NULL)) give_up("cannot open the database");
    if (key) {
        char pragma[128];
        sprintf(pragma, "PRAGMA key = \"x'%s'\"", key);
        execute(database, pragma);
    }
    execute(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    return database;
}

static void *prepare(void *database, const char *text) {
    void *statement;
    if (sq_prepare(database, text, -1, &statement, NULL)) give_up(text);
    return statement;
}

static unsigned char token[ACCESS_TOKEN + 8];

static void read_token(void *reading, int account) {
    char key[512];
    make_key(key, "accesstoken", account);
    sq_bind_text(reading, 1, key, -1, NULL);
    if (sq_step(reading) != 100) give_up("a token is missing");
    memcpy(token, sq_blob(reading, 0), sq_bytes(reading, 0));
    sq_reset(reading);
}

static void write_entries(void *writing, int account) {
    static unsigned char value[ACCESS_TOKEN];
    for (int entry = 0; entry < 4; entry++) {
        char key[512];
        make_key(key, entries[entry].kind, account);
        memset(value, rand() & 127, sizeof value);
        sq_bind_text(writing, 1, key, -1, NULL);
        sq_bind_blob(writing, 2, value, entries[entry].size, NULL);
        if (sq_step(writing) != 101) give_up("an entry could not be written");
        sq_reset(writing);
    }
}

static void measure_sqlite(const char *name, const char *folder, int accounts, const char *key) {
    void *library = dlopen(name, RTLD_NOW);
    if (!library) give_up(dlerror());
    sq_open = symbol(library, "sqlite3_open_v2");
    sq_exec = symbol(library, "sqlite3_exec");
    sq_prepare = symbol(library, "sqlite3_prepare_v2");
    sq_bind_text = symbol(library, "sqlite3_bind_text");
    sq_bind_blob = symbol(library, "sqlite3_bind_blob");
    sq_step = symbol(library, "sqlite3_step");
    sq_reset = symbol(library, "sqlite3_reset");
    sq_finalize = symbol(library, "sqlite3_finalize");
    sq_close = symbol(library, "sqlite3_close");
    sq_blob = symbol(library, "sqlite3_column_blob");
    sq_bytes = symbol(library, "sqlite3_column_bytes");

    const char *upsert = "INSERT INTO entries (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    const char *replace = "INSERT OR REPLACE INTO entries (key, value) VALUES (?, ?)";
    char path[4096];
    sprintf(path, "%s/entries.db", folder);
    void *database = open_database(path, key);
    execute(database, "PRAGMA cache_size = -2000000; CREATE TABLE entries (key TEXT UNIQUE NOT NULL, value BLOB NOT NULL)");
    void *writing = NULL;
    /* SQLCipher 3.4 holds a SQLite without the upsert clause. */
    if (sq_prepare(database, upsert, -1, &writing, NULL)) writing = prepare(database, replace);
    execute(database, "BEGIN");
    for (int account = 0; account < accounts; account++) write_entries(writing, account);
    execute(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");

    void *reading = prepare(database, "SELECT value FROM entries WHERE key = ?");
    for (int account = 0; account < accounts; account++) read_token(reading, account);
    int rounds = 10000;
    for (int round = 0; round < rounds; round++) {
        double start = now();
        read_token(reading, rand() % accounts);
        times[round] = now() - start;
    }
    report("hand-out", rounds);

    rounds = 150;
    static double appends[150];
    sprintf(path, "%s/raw", folder);
    int raw = open(path, O_CREAT | O_WRONLY | O_APPEND, 0600);
    if (raw < 0) give_up("cannot make a file");
    for (int round = 0; round < rounds; round++) {
        double start = now();
        execute(database, "BEGIN IMMEDIATE");
        write_entries(writing, round * 7919 % accounts);
        execute(database, "COMMIT");
        times[round] = now() - start;
        /* In turns, so that both meet the same disk. */
        start = now();
        if (write(raw, bytes, sizeof bytes) != sizeof bytes || fdatasync(raw)) give_up("cannot append");
        appends[round] = now() - start;
    }
    close(raw);
    report("save", rounds);
    memcpy(times, appends, sizeof appends);
    report("append", rounds);
    sprintf(path, "%s/entries.db", folder);
    sq_finalize(reading);
    sq_finalize(writing);
    sq_close(database);

    rounds = 31;
    for (int round = 0; round < rounds; round++) {
        double start = now();
        database = open_database(path, key);
        reading = prepare(database, "SELECT value FROM entries WHERE key = ?");
        read_token(reading, rand() % accounts);
        times[round] = now() - start;
        sq_finalize(reading);
        sq_close(database);
    }
    report("open", rounds);
}

int main(int count, char **arguments) {
    if (count >= 5 && !strcmp(arguments[1], "sqlite"))
        measure_sqlite(arguments[2], arguments[3], atoi(arguments[4]), count > 5 ? arguments[5] : NULL);
    else
        give_up("usage: stores sqlite LIBRARY FOLDER ACCOUNTS [KEY]");
    return 0;
}
