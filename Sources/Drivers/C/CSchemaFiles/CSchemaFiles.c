#include "CSchemaFiles.h"

// Clang has #embed of C23 in every C, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char baseline[] = {
#embed "../../../Store/Schema/Baseline/schemas-clock-and-ids.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/catalogues.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/recipients.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/addresses.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/notifications.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/reports.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/inbox.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/day-partitions.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/idempotency.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/reservations.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/packs-and-due.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/outbox.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/refused.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/local-plans.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/engagement.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/operations.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/api-keys.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/erasure.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/own-rows.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/ops-notifications.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/ops-decisions.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/ops-attempts.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/ops-timeline.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/ops-queues.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/ops-system.sql" suffix(, '\n',)
#embed "../../../Store/Schema/Baseline/api.sql" suffix(, '\n',)
    0};

// The first line, which has the number of the baseline.
static const unsigned char dump_head[] = {
#embed "../../../Store/Schema/schema.dump.sql" limit(32) suffix(,)
    0};

static const unsigned char grants[] = {
#embed "../../../Store/Schema/grants.sql" suffix(,)
    0};

const char *tidings_schema_baseline(void) { return (const char *)baseline; }
const char *tidings_schema_dump_head(void) { return (const char *)dump_head; }
const char *tidings_schema_grants(void) { return (const char *)grants; }
