// SPDX-License-Identifier: Apache-2.0
//! What silent.c does, in Rust: `rustc silent.rs -L DIR -l tokencache`, then `silent ROOT USERNAME SIGNED-IN.json RENEWED.json`.

use std::ffi::{c_char, c_void, CStr, CString};
use std::mem::{size_of, zeroed};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Error {
    struct_size: u32,
    code: i32,
    system_error: i32,
    reserved: u32,
    byte_offset: i64,
    message: [c_char; 480],
}

#[repr(C)]
struct Options {
    struct_size: u32,
    storage: i32,
    flags: u32,
    timeout_ms: u32,
    root: *const c_char,
    keys_and_collection: [*const c_char; 4],
    passphrase: *const u8,
    passphrase_count: usize,
}

#[repr(C)]
struct Terms {
    struct_size: u32,
    subject: i32,
    flags: u32,
    reserved: u32,
    account: *const c_char,
    scopes: *const c_char,
    others: [*const c_char; 9],
}

#[repr(C)]
struct Request {
    struct_size: u32,
    grant: i32,
    environment: *const c_char,
    tenant: *const c_char,
    scopes: *const c_char,
    others: [*const c_char; 6],
}

#[repr(C)]
struct Info {
    struct_size: u32,
    decision: i32,
    flags: u32,
    reason: i32,
    expires_on: i64,
    refresh_on: i64,
    extended_expires_on: i64,
}

type Handle = *mut c_void;

extern "C" {
    fn tokencache_open(group: *const c_char, client: *const c_char, options: *const Options, cache: *mut Handle, error: *mut Error) -> i32;
    fn tokencache_close(cache: Handle) -> i32;
    fn tokencache_query_new(terms: *const Terms, query: *mut Handle, error: *mut Error) -> i32;
    fn tokencache_lookup(cache: Handle, query: Handle, info: *mut Info, error: *mut Error) -> i32;
    fn tokencache_token(cache: Handle, query: Handle, info: *mut Info, buffer: *mut u8, capacity: usize, count: *mut usize, error: *mut Error) -> i32;
    fn tokencache_save(cache: Handle, request: *const Request, response: *const u8, count: usize, timeout_ms: u32, sink: *const c_void, context: *mut c_void, error: *mut Error) -> i32;
    fn tokencache_sign_out(cache: Handle, account: *const c_char, timeout_ms: u32, error: *mut Error) -> i32;
    fn tokencache_renewal_begin(cache: Handle, query: Handle, timeout_ms: u32, renewal: *mut Handle, info: *mut Info, error: *mut Error) -> i32;
    fn tokencache_renewal_host(renewal: Handle, buffer: *mut u8, capacity: usize, count: *mut usize, error: *mut Error) -> i32;
    fn tokencache_renewal_tenant(renewal: Handle, buffer: *mut u8, capacity: usize, count: *mut usize, error: *mut Error) -> i32;
    fn tokencache_renewal_copy_secret(renewal: Handle, buffer: *mut u8, capacity: usize, count: *mut usize, error: *mut Error) -> i32;
    fn tokencache_renewal_finish(renewal: Handle, status: i32, body: *const u8, count: usize, retry_after: *const c_char, info: *mut Info, error: *mut Error) -> i32;
    fn tokencache_wipe(memory: *mut c_void, count: usize);
}

/// Makes a call, and turns its error into a message.
fn check(call: impl FnOnce(*mut Error) -> i32) -> Result<(), String> {
    let mut error: Error = unsafe { zeroed() };
    error.struct_size = size_of::<Error>() as u32;
    if call(&mut error) == 0 {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(error.message.as_ptr()) }.to_string_lossy().into_owned())
}

/// What a call copies, wiped with the value.
struct Secret(Vec<u8>);

impl Drop for Secret {
    fn drop(&mut self) {
        unsafe { tokencache_wipe(self.0.as_mut_ptr().cast(), self.0.capacity()) }
    }
}

fn copied(call: impl FnOnce(*mut u8, usize, *mut usize, *mut Error) -> i32) -> Result<Secret, String> {
    let mut secret = Secret(vec![0; 16384]);
    let (start, capacity, mut count) = (secret.0.as_mut_ptr(), secret.0.len(), 0);
    check(|error| call(start, capacity, &mut count, error))?;
    secret.0.truncate(count);
    Ok(secret)
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().collect();
    let text = |text: &str| CString::new(text).map_err(|error| error.to_string());
    let (group, client) = (text("com.contoso.sso")?, text("6c05f7a1-7c3c-4e1c-8e4e-6f6a1d6a8a55")?);
    let (root, username, scopes) = (text(&arguments[1])?, text(&arguments[2])?, text("User.Read")?);
    let (host, tenant, account) = (text("login.microsoftonline.com")?, text("common")?, text("uid.utid")?);
    let body = |path: &str| std::fs::read(path).map(Secret).map_err(|error| error.to_string());

    let mut options: Options = unsafe { zeroed() };
    options.struct_size = size_of::<Options>() as u32;
    options.storage = 1;
    options.root = root.as_ptr();
    let mut cache = null_mut();
    check(|error| unsafe { tokencache_open(group.as_ptr(), client.as_ptr(), &options, &mut cache, error) })?;

    let mut request: Request = unsafe { zeroed() };
    request.struct_size = size_of::<Request>() as u32;
    request.grant = 1;
    (request.environment, request.tenant, request.scopes) = (host.as_ptr(), tenant.as_ptr(), scopes.as_ptr());
    let response = body(&arguments[3])?;
    check(|error| unsafe {
        tokencache_save(cache, &request, response.0.as_ptr(), response.0.len(), 0, null(), null_mut(), error)
    })?;

    let mut terms: Terms = unsafe { zeroed() };
    terms.struct_size = size_of::<Terms>() as u32;
    terms.subject = 2;
    (terms.account, terms.scopes) = (username.as_ptr(), scopes.as_ptr());
    let (mut query, mut fresh, mut renewal) = (null_mut(), null_mut(), null_mut());
    check(|error| unsafe { tokencache_query_new(&terms, &mut query, error) })?;
    let mut info: Info = unsafe { zeroed() };
    info.struct_size = size_of::<Info>() as u32;
    let token = copied(|start, capacity, count, error| unsafe { tokencache_token(cache, query, &mut info, start, capacity, count, error) })?;
    println!("decision {}, {} bytes", info.decision, token.0.len());

    terms.flags = 1;
    check(|error| unsafe { tokencache_query_new(&terms, &mut fresh, error) })?;
    check(|error| unsafe { tokencache_renewal_begin(cache, fresh, 0, &mut renewal, &mut info, error) })?;
    while info.decision == 2 {
        let secret = copied(|start, capacity, count, error| unsafe { tokencache_renewal_copy_secret(renewal, start, capacity, count, error) })?;
        let host = copied(|start, capacity, count, error| unsafe { tokencache_renewal_host(renewal, start, capacity, count, error) })?;
        let tenant = copied(|start, capacity, count, error| unsafe { tokencache_renewal_tenant(renewal, start, capacity, count, error) })?;
        let (host, tenant) = (String::from_utf8_lossy(&host.0), String::from_utf8_lossy(&tenant.0));
        println!("renew with {} bytes at {host}, tenant {tenant}", secret.0.len());
        let response = body(&arguments[4])?;
        check(|error| unsafe { tokencache_renewal_finish(renewal, 200, response.0.as_ptr(), response.0.len(), null(), &mut info, error) })?;
    }
    let token = copied(|start, capacity, count, error| unsafe { tokencache_token(cache, query, &mut info, start, capacity, count, error) })?;
    println!("decision {}, {} bytes", info.decision, token.0.len());

    check(|error| unsafe { tokencache_sign_out(cache, account.as_ptr(), 0, error) })?;
    check(|error| unsafe { tokencache_lookup(cache, query, &mut info, error) })?;
    println!("decision {}, reason {}", info.decision, info.reason);
    unsafe { tokencache_close(cache) };
    Ok(())
}
