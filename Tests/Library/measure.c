/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What calls of the library cost, as one line of JSON: measure LIBRARY ROOT USERNAME LARGE-RESPONSE RESPONSE
 *
 * Times are minima of many short rounds, in nanoseconds. A round of a call that does nothing stands beside it, because machines
 * differ.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <tokencache.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int thread_count(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count - 2;
}

/* The signals that have another handler than that at the start. */
static int changed_handlers(const struct sigaction *before) {
    int count = 0;
    for (int number = 1; number < 65; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0 && now.sa_handler != before[number].sa_handler) count++;
    }
    return count;
}

static size_t read_file(const char *path, uint8_t *buffer, size_t capacity) {
    FILE *file = fopen(path, "rb");
    const size_t count = file ? fread(buffer, 1, capacity, file) : 0;
    if (file) fclose(file);
    return count;
}

static long long byte_count(const char *root) {
    char path[4096];
    struct stat status;
    snprintf(path, sizeof path, "%s/measured/journal", root);
    return stat(path, &status) ? -1 : (long long)status.st_size;
}

enum { calls = 2000, rounds = 400 };

#define MINIMUM(result, call)                                                                                                  \
    double result = 1e9;                                                                                                       \
    for (int round = 0; round < rounds; round++) {                                                                             \
        const double start = seconds(CLOCK_MONOTONIC);                                                                         \
        for (int number = 0; number < calls; number++) call;                                                                   \
        const double time = (seconds(CLOCK_MONOTONIC) - start) / calls * 1e9;                                                  \
        if (time < result) result = time;                                                                                      \
    }

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    struct sigaction before[65];
    for (int number = 1; number < 65; number++) sigaction(number, NULL, &before[number]);
    stack_t stack;
    const double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    void *library = dlopen(argv[1], RTLD_NOW);
    const double load = seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    if (!library) return 3;
#define FUNCTION(name) __typeof__(&tokencache_##name) name = (__typeof__(&tokencache_##name))dlsym(library, "tokencache_" #name)
    FUNCTION(abi_version);
    FUNCTION(open);
    FUNCTION(close);
    FUNCTION(save);
    FUNCTION(query_new);
    FUNCTION(lookup);
    FUNCTION(token);
    FUNCTION(maintain);

    tokencache_options options = {.struct_size = sizeof options, .storage = TOKENCACHE_STORAGE_FILE, .root = argv[2]};
    tokencache *cache;
    if (open("measured", "client", &options, &cache, NULL)) return 4;
    static uint8_t response[262144];
    tokencache_request request = {.struct_size = sizeof request, .grant = TOKENCACHE_GRANT_INTERACTIVE,
                                  .environment = "login.microsoftonline.com", .tenant = "common", .scopes = "User.Read"};
    /* So many that a compaction is worth it, and last the one that is measured. */
    for (int number = 0; number <= 80; number++) {
        const size_t count = read_file(argv[number < 80 ? 4 : 5], response, sizeof response);
        if (save(cache, &request, response, count, 60000, NULL, NULL, NULL)) return 5;
    }
    const long long before_compaction = byte_count(argv[2]);
    tokencache_terms terms = {.struct_size = sizeof terms, .subject = TOKENCACHE_BY_USERNAME, .account = argv[3], .scopes = "User.Read"};
    tokencache_query *query;
    if (query_new(&terms, &query, NULL)) return 6;
    tokencache_info info = {.struct_size = sizeof info};
    static uint8_t token_bytes[16384];
    size_t token_count;
    if (token(cache, query, &info, token_bytes, sizeof token_bytes, &token_count, NULL)) return 7;
    if (lookup(cache, query, &info, NULL) || info.decision != TOKENCACHE_VALID) return 8;
    const int threads = thread_count();
    MINIMUM(empty, abi_version());
    MINIMUM(hit, lookup(cache, query, &info, NULL));
    MINIMUM(copy, token(cache, query, &info, token_bytes, sizeof token_bytes, &token_count, NULL));
    if (maintain(cache, 60000, NULL)) return 9;
    sigaltstack(NULL, &stack);
    printf("{\"load_us\": %.0f, \"empty_ns\": %.1f, \"lookup_ns\": %.1f, \"token_ns\": %.0f, \"threads\": %d, \"handlers\": %d, "
           "\"alternate_stack\": %d, \"bytes_before\": %lld, \"bytes_after\": %lld}\n",
           load * 1e6, empty, hit, copy, threads, changed_handlers(before), !(stack.ss_flags & SS_DISABLE),
           before_compaction, byte_count(argv[2]));
    return close(cache);
}
