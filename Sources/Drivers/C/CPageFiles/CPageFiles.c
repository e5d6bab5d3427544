#include "CPageFiles.h"

// Clang has #embed of C23 in every C, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char inbox_module[] = {
#embed "../../../Clients/InboxJS/tidings-inbox.js" suffix(,)
    0};

static const unsigned char inbox_types[] = {
#embed "../../../Clients/InboxJS/tidings-inbox.d.ts" suffix(,)
    0};

static const unsigned char demo_page[] = {
#embed "../../../Clients/InboxJS/demo.html" suffix(,)
    0};

static const unsigned char demo_script[] = {
#embed "../../../Clients/InboxJS/demo.js" suffix(,)
    0};

static const unsigned char demo_style[] = {
#embed "../../../Clients/InboxJS/demo.css" suffix(,)
    0};

static const unsigned char icons[] = {
#embed "../../../Clients/InboxJS/icons.js" suffix(,)
    0};

static const unsigned char openapi[] = {
#embed "../../../Interfaces/API/Pages/openapi.yaml" suffix(,)
    0};

const char *tidings_page_inbox_module(void) { return (const char *)inbox_module; }
const char *tidings_page_inbox_types(void) { return (const char *)inbox_types; }
const char *tidings_page_demo_page(void) { return (const char *)demo_page; }
const char *tidings_page_demo_script(void) { return (const char *)demo_script; }
const char *tidings_page_demo_style(void) { return (const char *)demo_style; }
const char *tidings_page_icons(void) { return (const char *)icons; }
const char *tidings_page_openapi(void) { return (const char *)openapi; }
