// Makes reads, writes and syncs of *.db and *.db-wal files fail while the file named by FAULT_SWITCH exists,
// each with the probability FAULT_RATE, in an order that FAULT_SEED decides. Loaded by LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILES 65536
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static unsigned char watched[MAX_FILES];

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), tail = strlen(end);
  return length >= tail && strcmp(path + length - tail, end) == 0;
}

static int watch(int file, const char *path) {
  if (file >= 0 && file < MAX_FILES) watched[file] = ends_with(path, ".db") || ends_with(path, ".db-wal");
  return file;
}

// Returns 0 for no fault, else a random number that decides which.
static unsigned fault(int file) {
  static uint64_t state;
  static double rate;
  if (file < 0 || file >= MAX_FILES || !watched[file]) return 0;
  if (access(getenv("FAULT_SWITCH"), F_OK) != 0) return 0;
  if (state == 0) {
    state = strtoull(getenv("FAULT_SEED"), NULL, 10) * 0x9e3779b97f4a7c15u + 1;
    rate = strtod(getenv("FAULT_RATE"), NULL);
  }
  // https://prng.di.unimi.it/splitmix64.c
  uint64_t next = (state += 0x9e3779b97f4a7c15u);
  next = (next ^ (next >> 30)) * 0xbf58476d1ce4e5b9u;
  next = (next ^ (next >> 27)) * 0x94d049bb133111ebu;
  next ^= next >> 31;
  return (next >> 40) / 16777216.0 < rate ? 4 | (next & 3) : 0;
}

static int failing(int error) {
  errno = error;
  return -1;
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  return watch(REAL(open64)(path, flags, mode), path);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  int mode = va_arg(rest, int);
  va_end(rest);
  return watch(REAL(open)(path, flags, mode), path);
}

ssize_t pread64(int file, void *buffer, size_t length, off64_t offset) {
  switch (fault(file)) {
    case 4: case 5: return failing(EIO);
    case 6: case 7: return 0; // As at the end of the file.
  }
  return REAL(pread64)(file, buffer, length, offset);
}

ssize_t pwrite64(int file, const void *buffer, size_t length, off64_t offset) {
  switch (fault(file)) {
    case 4: return failing(EIO);
    case 5: return failing(ENOSPC);
    case 6: case 7: length = length / 2 + 1;
  }
  return REAL(pwrite64)(file, buffer, length, offset);
}

int fsync(int file) { return fault(file) ? failing(EIO) : REAL(fsync)(file); }
int fdatasync(int file) { return fault(file) ? failing(EIO) : REAL(fdatasync)(file); }
