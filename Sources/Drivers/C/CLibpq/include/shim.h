#ifndef TIDINGS_CLIBPQ_SHIM_H
#define TIDINGS_CLIBPQ_SHIM_H

// libpq, as Debian and Ubuntu install it (package libpq-dev).
#include <postgresql/libpq-fe.h>

// libpq defines these fields as macros of character literals, which Swift does not import.
static const int TIDINGS_DIAG_SEVERITY = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int TIDINGS_DIAG_SQLSTATE = PG_DIAG_SQLSTATE;
static const int TIDINGS_DIAG_MESSAGE = PG_DIAG_MESSAGE_PRIMARY;
static const int TIDINGS_DIAG_DETAIL = PG_DIAG_MESSAGE_DETAIL;
static const int TIDINGS_DIAG_HINT = PG_DIAG_MESSAGE_HINT;
static const int TIDINGS_DIAG_CONSTRAINT = PG_DIAG_CONSTRAINT_NAME;
static const int TIDINGS_DIAG_ROUTINE = PG_DIAG_SOURCE_FUNCTION;

#endif
