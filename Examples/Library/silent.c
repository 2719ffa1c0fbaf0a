/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a program in C does with the token cache: saves what a token endpoint answered to a sign-in, gets the token, renews it, and
 * signs out.
 *
 *     cc silent.c $(pkg-config --cflags --libs tokencache) -o silent
 *     ./silent ROOT USERNAME SIGNED-IN.json RENEWED.json
 *
 * It sends nothing: the two files are what the token endpoint answered.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tokencache.h>

static tokencache_error error = {sizeof error, 0, 0, 0, 0, ""};

static void check(int32_t result, const char *what) {
    if (result == TOKENCACHE_OK) return;
    fprintf(stderr, "%s: %s\n", what, error.message);
    exit(1);
}

/* A response of the token endpoint. A program has it from its HTTP client, in memory that it wipes afterwards. */
static size_t read_response(const char *path, uint8_t *buffer, size_t capacity) {
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(buffer, 1, capacity, file) : 0;
    if (file) fclose(file);
    return count;
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    tokencache_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.storage = TOKENCACHE_STORAGE_FILE;
    options.root = argv[1];
    tokencache *cache;
    check(tokencache_open("com.contoso.sso", "6c05f7a1-7c3c-4e1c-8e4e-6f6a1d6a8a55", &options, &cache, &error), "open");

    /* After a sign-in. */
    uint8_t response[65536];
    tokencache_request request;
    memset(&request, 0, sizeof request);
    request.struct_size = sizeof request;
    request.grant = TOKENCACHE_GRANT_INTERACTIVE;
    request.environment = "login.microsoftonline.com";
    request.tenant = "common";
    request.scopes = "User.Read";
    size_t count = read_response(argv[3], response, sizeof response);
    check(tokencache_save(cache, &request, response, count, TOKENCACHE_DEFAULT_TIMEOUT, NULL, NULL, &error), "save");
    tokencache_wipe(response, count);

    /* Whenever a token is needed. The query is kept. */
    tokencache_terms terms;
    memset(&terms, 0, sizeof terms);
    terms.struct_size = sizeof terms;
    terms.subject = TOKENCACHE_BY_USERNAME;
    terms.account = argv[2];
    terms.scopes = "User.Read";
    tokencache_query *query;
    check(tokencache_query_new(&terms, &query, &error), "query");
    tokencache_info info = {sizeof info, 0, 0, 0, 0, 0, 0};
    uint8_t token[16384];
    check(tokencache_token(cache, query, &info, token, sizeof token, &count, &error), "token");
    printf("decision %d, %zu bytes\n", (int)info.decision, count);
    tokencache_wipe(token, count);

    /* When the resource refused it. Otherwise the same query begins a renewal, and gets the token if that is still valid. */
    tokencache_query *fresh;
    terms.flags = TOKENCACHE_FORCE_REFRESH;
    check(tokencache_query_new(&terms, &fresh, &error), "query");
    tokencache_renewal *renewal;
    check(tokencache_renewal_begin(cache, fresh, TOKENCACHE_DEFAULT_TIMEOUT, &renewal, &info, &error), "renewal");
    while (info.decision == TOKENCACHE_RENEW) {
        char host[256], tenant[256];
        size_t length;
        check(tokencache_renewal_host(renewal, host, sizeof host, &length, &error), "host");
        check(tokencache_renewal_tenant(renewal, tenant, sizeof tenant, &length, &error), "tenant");
        check(tokencache_renewal_copy_secret(renewal, token, sizeof token, &count, &error), "refresh token");
        printf("renew with %zu bytes at %s, tenant %s\n", count, host, tenant);
        /* Here it is sent to https://HOST/TENANT/oauth2/v2.0/token. */
        tokencache_wipe(token, count);
        count = read_response(argv[4], response, sizeof response);
        check(tokencache_renewal_finish(renewal, 200, response, count, NULL, &info, &error), "finish");
        tokencache_wipe(response, count);
    }
    check(tokencache_token(cache, query, &info, token, sizeof token, &count, &error), "token");
    printf("decision %d, %zu bytes\n", (int)info.decision, count);
    tokencache_wipe(token, count);

    check(tokencache_sign_out(cache, "uid.utid", TOKENCACHE_DEFAULT_TIMEOUT, &error), "sign out");
    check(tokencache_lookup(cache, query, &info, &error), "lookup");
    printf("decision %d, reason %d\n", (int)info.decision, (int)info.reason);
    tokencache_query_free(fresh);
    tokencache_query_free(query);
    tokencache_close(cache);
    return 0;
}
