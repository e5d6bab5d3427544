// The files that the API serves as parts of the binary: UTF-8 without NUL.
#ifndef TIDINGS_CPAGEFILES_H
#define TIDINGS_CPAGEFILES_H

// Of Sources/Clients/InboxJS.
const char *_Nonnull tidings_page_inbox_module(void);
const char *_Nonnull tidings_page_inbox_types(void);
const char *_Nonnull tidings_page_demo_page(void);
const char *_Nonnull tidings_page_demo_script(void);
const char *_Nonnull tidings_page_demo_style(void);
const char *_Nonnull tidings_page_icons(void);

// Sources/Interfaces/API/Pages/openapi.yaml.
const char *_Nonnull tidings_page_openapi(void);

#endif
