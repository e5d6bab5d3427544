// The SQL of the schema as parts of the binary: UTF-8 without NUL.
#ifndef TIDINGS_CSCHEMAFILES_H
#define TIDINGS_CSCHEMAFILES_H

// The files of Sources/Store/Schema/Baseline, in the order in which they apply. Each has one topic, and needs only the files before it.
const char *_Nonnull tidings_schema_baseline(void);

// The first bytes of Sources/Store/Schema/schema.dump.sql. They have its first line.
const char *_Nonnull tidings_schema_dump_head(void);

// Sources/Store/Schema/grants.sql.
const char *_Nonnull tidings_schema_grants(void);

#endif
