// The parts of glibc's spawn.h that only _GNU_SOURCE declares. Swift's module of glibc is made without it.
#ifndef TIDINGS_CSPAWN_H
#define TIDINGS_CSPAWN_H

#include <spawn.h>

// Adds the action that closes each descriptor from `first` on, in the child (posix_spawn_file_actions_addclosefrom_np(3), glibc 2.34).
int tidings_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

// The flag POSIX_SPAWN_SETSID.
extern const short tidings_spawn_new_session;

#endif
