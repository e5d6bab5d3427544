#define _GNU_SOURCE
#include "CSpawn.h"

int tidings_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

const short tidings_spawn_new_session = POSIX_SPAWN_SETSID;
