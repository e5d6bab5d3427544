#ifndef TIDINGS_CCURL_SHIM_H
#define TIDINGS_CCURL_SHIM_H

// libcurl's type-checking macros need each option as a compile-time constant, but the wrappers below pass options on as values.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Version 7.87 added CURLOPT_QUICK_EXIT. Without this option, ending a transfer waits for a DNS lookup that hangs.
#if LIBCURL_VERSION_NUM < 0x075700
#error "Tidings needs libcurl 7.87 or later"
#endif

// Swift cannot call variadic functions: curl_easy_setopt, curl_easy_getinfo, curl_multi_setopt. Each argument type has one wrapper.

static inline CURLcode tidings_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tidings_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tidings_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tidings_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tidings_easy_set_bytes(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode tidings_easy_set_data_callback(CURL *easy, CURLoption option, curl_write_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline CURLcode tidings_easy_set_open_socket(CURL *easy, curl_opensocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode tidings_easy_set_before_request(CURL *easy, curl_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode tidings_easy_get_private(CURL *easy, void **value) {
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)value);
}

static inline CURLMcode tidings_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode tidings_multi_set_socket_callback(CURLM *multi, curl_socket_callback callback, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

// Swift does not import CURL_GLOBAL_ALL, because this macro is made of other macros.
static inline CURLcode tidings_curl_global_init(void) {
    return curl_global_init(CURL_GLOBAL_ALL);
}

#endif
