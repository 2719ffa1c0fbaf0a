// SPDX-License-Identifier: Apache-2.0

// What silent.c does, in Go with cgo: silent ROOT USERNAME SIGNED-IN.json RENEWED.json
//
//	CGO_CFLAGS=$(pkg-config --cflags tokencache) CGO_LDFLAGS=$(pkg-config --libs tokencache) go build silent.go
package main

// #include <stdlib.h>
// #include <tokencache.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// check turns the error of a call into one of Go. The error is the caller's memory, because a goroutine may change its thread
// between two calls.
func check(call func(*C.tokencache_error) C.int32_t) error {
	var e C.tokencache_error
	e.struct_size = C.uint32_t(unsafe.Sizeof(e))
	if call(&e) == C.TOKENCACHE_OK {
		return nil
	}
	return errors.New(C.GoString(&e.message[0]))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// text is a C string. Structures that C reads may not hold pointers to memory of Go.
func text(value string) *C.char { return C.CString(value) }

func bytes(value []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.Pointer(&value[0])) }

func main() {
	root, username, signedIn, renewed := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	group, client, scopes := text("com.contoso.sso"), text("6c05f7a1-7c3c-4e1c-8e4e-6f6a1d6a8a55"), text("User.Read")

	var options C.tokencache_options
	options.struct_size = C.uint32_t(unsafe.Sizeof(options))
	options.storage = C.TOKENCACHE_STORAGE_FILE
	options.root = text(root)
	var cache *C.tokencache
	must(check(func(e *C.tokencache_error) C.int32_t { return C.tokencache_open(group, client, &options, &cache, e) }))

	var request C.tokencache_request
	request.struct_size = C.uint32_t(unsafe.Sizeof(request))
	request.grant = C.TOKENCACHE_GRANT_INTERACTIVE
	request.environment, request.tenant, request.scopes = text("login.microsoftonline.com"), text("common"), scopes
	body, err := os.ReadFile(signedIn)
	must(err)
	must(check(func(e *C.tokencache_error) C.int32_t {
		return C.tokencache_save(cache, &request, bytes(body), C.size_t(len(body)), 0, nil, nil, e)
	}))

	var terms C.tokencache_terms
	terms.struct_size = C.uint32_t(unsafe.Sizeof(terms))
	terms.subject = C.TOKENCACHE_BY_USERNAME
	terms.account, terms.scopes = text(username), scopes
	var query, fresh *C.tokencache_query
	must(check(func(e *C.tokencache_error) C.int32_t { return C.tokencache_query_new(&terms, &query, e) }))
	var info C.tokencache_info
	info.struct_size = C.uint32_t(unsafe.Sizeof(info))
	buffer, count := make([]byte, 16384), C.size_t(0)
	room := C.size_t(len(buffer))
	get := func(e *C.tokencache_error) C.int32_t {
		return C.tokencache_token(cache, query, &info, bytes(buffer), room, &count, e)
	}
	must(check(get))
	fmt.Printf("decision %d, %d bytes\n", info.decision, count)
	C.tokencache_wipe(unsafe.Pointer(&buffer[0]), room)

	terms.flags = C.TOKENCACHE_FORCE_REFRESH
	must(check(func(e *C.tokencache_error) C.int32_t { return C.tokencache_query_new(&terms, &fresh, e) }))
	var renewal *C.tokencache_renewal
	must(check(func(e *C.tokencache_error) C.int32_t {
		return C.tokencache_renewal_begin(cache, fresh, 0, &renewal, &info, e)
	}))
	for info.decision == C.TOKENCACHE_RENEW {
		var host, tenant [256]C.char
		var length C.size_t
		must(check(func(e *C.tokencache_error) C.int32_t {
			return C.tokencache_renewal_host(renewal, &host[0], 256, &length, e)
		}))
		must(check(func(e *C.tokencache_error) C.int32_t {
			return C.tokencache_renewal_tenant(renewal, &tenant[0], 256, &length, e)
		}))
		must(check(func(e *C.tokencache_error) C.int32_t {
			return C.tokencache_renewal_copy_secret(renewal, bytes(buffer), room, &count, e)
		}))
		fmt.Printf("renew with %d bytes at %s, tenant %s\n", count, C.GoString(&host[0]), C.GoString(&tenant[0]))
		C.tokencache_wipe(unsafe.Pointer(&buffer[0]), room)
		body, err := os.ReadFile(renewed)
		must(err)
		must(check(func(e *C.tokencache_error) C.int32_t {
			return C.tokencache_renewal_finish(renewal, 200, bytes(body), C.size_t(len(body)), nil, &info, e)
		}))
	}
	must(check(get))
	fmt.Printf("decision %d, %d bytes\n", info.decision, count)
	C.tokencache_wipe(unsafe.Pointer(&buffer[0]), room)

	must(check(func(e *C.tokencache_error) C.int32_t { return C.tokencache_sign_out(cache, text("uid.utid"), 0, e) }))
	must(check(func(e *C.tokencache_error) C.int32_t { return C.tokencache_lookup(cache, query, &info, e) }))
	fmt.Printf("decision %d, reason %d\n", info.decision, info.reason)
	C.tokencache_close(cache)
}
