/*
 * Stands between a program and the disk (LD_PRELOAD): calls below a folder fail, wait, come short or lie as a file of rules says, and all that
 * changes the disk is written down in its order. `disk.ts` compiles and drives it.
 *
 *   DISK_UNDER  the folder; paths in rules and records are relative to it
 *   DISK_RULES  the file of rules, read again whenever it is replaced: `OPS GLOB ACTION [after=N] [times=N] [at=OFFSET]`
 *               OPS: open read write sync rename unlink mkdir link truncate allocate statfs, with commas, or `*`
 *               ACTION: an errno's name, of a write only what goes beyond `at` if given; slow=MS; hold, until the rules change; kill, before the call; kill-after; short; torn: half is
 *               written, then ENOSPC; flip: one bit of what is read, that of `at` in the file if given; full, no-inodes: of statfs
 *   DISK_TRACE  the file of records: op, path, inode, two numbers, result, action; tabs between them, behind a write its bytes
 *   DISK_BOOT   a file that is read in place of the machine's boot id
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MAX_RULES 32
#define MAX_FDS 65536
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define REAL(name) ((__typeof__(&name))real(#name))

enum action { FAIL, SLOW, HOLD, KILL, KILL_AFTER, SHORT, TORN, FLIP, FULL, NO_INODES };

struct rule {
  char ops[96], glob[256], name[32];
  enum action action;
  int error;
  long ms, after, times, seen, fired;
  off_t at;
};

static const char *under, *rules_file, *boot_file;
static size_t under_length;
static int trace = -1;
static struct rule rules[MAX_RULES];
static int rule_count;
static struct timespec rules_time;
static ino_t rules_inode;
static long syncs;
/* Descriptors of files below the folder: those of sockets are not looked at. */
static unsigned char ours[MAX_FDS];
static pthread_mutex_t rules_lock = PTHREAD_MUTEX_INITIALIZER;
/* Held for a change and its record, so that records have the order of the changes. */
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

__attribute__((constructor)) static void start(void) {
  under = getenv("DISK_UNDER");
  under_length = under == NULL ? 0 : strlen(under);
  rules_file = getenv("DISK_RULES");
  boot_file = getenv("DISK_BOOT");
  const char *path = getenv("DISK_TRACE");
  if (path != NULL) trace = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Paths. */

static const char *below(const char *path) {
  if (under == NULL || path == NULL || strncmp(path, under, under_length) != 0) return NULL;
  if (path[under_length] == 0) return ".";
  return path[under_length] == '/' ? path + under_length + 1 : NULL;
}

/* A path that openat and its like were given, as rules know it. */
static const char *named(int folder, const char *path, char *space) {
  if (path == NULL) return NULL;
  if (path[0] == '/') return below(path);
  char at[PATH_MAX];
  if (folder == AT_FDCWD) {
    if (getcwd(at, sizeof at) == NULL) return NULL;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, at, sizeof at - 1);
    if (length < 0) return NULL;
    at[length] = 0;
  }
  snprintf(space, PATH_MAX, "%.2000s/%.2000s", at, path);
  return below(space);
}

static const char *of(int fd, char *space) {
  if (fd < 0 || fd >= MAX_FDS || !ours[fd]) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, space, PATH_MAX - 1);
  if (length < 0) return NULL;
  space[length] = 0;
  return below(space);
}

static void know(int fd, const char *path) {
  if (fd >= 0 && fd < MAX_FDS) ours[fd] = path != NULL;
}

/* Rules. */

static const struct { const char *name; int number; } errors[] = {
  {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EMFILE", EMFILE}, {"ENFILE", ENFILE}, {"EROFS", EROFS}, {"EDQUOT", EDQUOT},
  {"EACCES", EACCES}, {"ENOENT", ENOENT}, {"EAGAIN", EAGAIN}, {"EFBIG", EFBIG}, {"ENOMEM", ENOMEM}
};
static const struct { const char *name; enum action action; } actions[] = {
  {"hold", HOLD}, {"kill", KILL}, {"kill-after", KILL_AFTER}, {"short", SHORT}, {"torn", TORN}, {"flip", FLIP},
  {"full", FULL}, {"no-inodes", NO_INODES}
};

static int parse(char *line, struct rule *rule) {
  memset(rule, 0, sizeof *rule);
  rule->times = LONG_MAX;
  rule->at = -1;
  char *rest = NULL;
  const char *ops = strtok_r(line, " ", &rest), *glob = strtok_r(NULL, " ", &rest), *action = strtok_r(NULL, " ", &rest);
  if (ops == NULL || glob == NULL || action == NULL) return 0;
  snprintf(rule->ops, sizeof rule->ops, ",%s,", ops);
  snprintf(rule->glob, sizeof rule->glob, "%s", glob);
  snprintf(rule->name, sizeof rule->name, "%s", action);
  int known = 0;
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (strcmp(action, errors[i].name) == 0) rule->action = FAIL, rule->error = errors[i].number, known = 1;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
    if (strcmp(action, actions[i].name) == 0) rule->action = actions[i].action, known = 1;
  if (sscanf(action, "slow=%ld", &rule->ms) == 1) rule->action = SLOW, known = 1;
  for (char *option = strtok_r(NULL, " ", &rest); option != NULL; option = strtok_r(NULL, " ", &rest)) {
    long number;
    if (sscanf(option, "after=%ld", &number) == 1) rule->after = number;
    else if (sscanf(option, "times=%ld", &number) == 1) rule->times = number;
    else if (sscanf(option, "at=%ld", &number) == 1) rule->at = number;
    else known = 0;
  }
  if (!known) {
    dprintf(2, "disk.c: no such rule: %s %s %s\n", ops, glob, action);
    abort();
  }
  return 1;
}

/* @returns whether they are others than before */
static int read_rules(void) {
  struct stat found;
  if (rules_file == NULL || fstatat(AT_FDCWD, rules_file, &found, 0) != 0) return 0;
  if (found.st_ino == rules_inode && found.st_mtim.tv_sec == rules_time.tv_sec && found.st_mtim.tv_nsec == rules_time.tv_nsec) return 0;
  int fd = syscall(SYS_openat, AT_FDCWD, rules_file, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  char text[16384];
  long length = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  text[length < 0 ? 0 : length] = 0;
  rules_inode = found.st_ino;
  rules_time = found.st_mtim;
  rule_count = 0;
  char *rest = NULL;
  for (char *line = strtok_r(text, "\n", &rest); line != NULL && rule_count < MAX_RULES; line = strtok_r(NULL, "\n", &rest))
    if (parse(line, &rules[rule_count])) rule_count++;
  return 1;
}

static int matches(const struct rule *rule, const char *op, const char *path) {
  char part[32];
  snprintf(part, sizeof part, ",%s,", op);
  return (strcmp(rule->ops, ",*,") == 0 || strstr(rule->ops, part) != NULL) && fnmatch(rule->glob, path, 0) == 0;
}

/* The records. */

static void put(const char *op, const char *path, ino_t inode, long long a, long long b, long result, const char *action,
                const struct iovec *pieces, int count) {
  if (trace < 0) return;
  char line[PATH_MAX + 256];
  int length = snprintf(line, sizeof line, "%s\t%s\t%llu\t%lld\t%lld\t%ld\t%s\n", op, path, (unsigned long long)inode, a, b, result, action);
  struct iovec all[64] = {{line, length}};
  int used = 1;
  long left = result;
  for (int i = 0; i < count && left > 0 && used < 64; i++, used++) {
    long size = (long)pieces[i].iov_len < left ? (long)pieces[i].iov_len : left;
    all[used] = (struct iovec){pieces[i].iov_base, size};
    left -= size;
  }
  const int kept = errno;
  syscall(SYS_writev, trace, all, used);
  errno = kept;
}

static ino_t inode_of(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

static ino_t inode_at(int folder, const char *path) {
  struct stat found;
  return fstatat(folder, path, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found.st_ino : 0;
}

/* The rule that this call is for, once what it says of time is over. @returns one that changes what the call does, or NULL */
static const struct rule *meet_until(const char *op, const char *path, off_t until, struct rule *space) {
  if (path == NULL) return NULL;
  pthread_mutex_lock(&rules_lock);
  read_rules();
  struct rule *found = NULL;
  for (int i = 0; i < rule_count && found == NULL; i++) {
    struct rule *rule = &rules[i];
    if (!matches(rule, op, path)) continue;
    if (rule->action == FAIL && until <= rule->at) continue;
    if (rule->seen++ < rule->after || rule->fired >= rule->times) continue;
    rule->fired++;
    found = rule;
  }
  if (found != NULL) *space = *found;
  const struct timespec time = rules_time;
  const ino_t inode = rules_inode;
  pthread_mutex_unlock(&rules_lock);
  if (found == NULL) return NULL;
  if (space->action == KILL) {
    put("fault", path, 0, 0, 0, 0, "kill", NULL, 0);
    kill(getpid(), SIGKILL);
  }
  if (space->action == SLOW) {
    put("fault", path, 0, 0, 0, 0, op, NULL, 0);
    const struct timespec wait = {space->ms / 1000, space->ms % 1000 * 1000000};
    nanosleep(&wait, NULL);
    return NULL;
  }
  if (space->action == HOLD) {
    put("fault", path, 0, 0, 0, 0, op, NULL, 0);
    for (int changed = 0; !changed;) {
      const struct timespec wait = {0, 1000000};
      nanosleep(&wait, NULL);
      pthread_mutex_lock(&rules_lock);
      read_rules();
      changed = rules_inode != inode || rules_time.tv_nsec != time.tv_nsec || rules_time.tv_sec != time.tv_sec;
      pthread_mutex_unlock(&rules_lock);
    }
    return NULL;
  }
  if (space->action != KILL_AFTER) put("fault", path, 0, 0, 0, 0, op, NULL, 0);
  return space;
}

static const struct rule *meet(const char *op, const char *path, struct rule *space) {
  return meet_until(op, path, 0, space);
}

/* @returns whether the call fails here, with errno set */
static int fails(const struct rule *rule) {
  if (rule == NULL || rule->action != FAIL) return 0;
  errno = rule->error;
  return 1;
}

static void end(const struct rule *rule) {
  if (rule != NULL && rule->action == KILL_AFTER) kill(getpid(), SIGKILL);
}

/* Opening. */

static int opened(int folder, const char *path, int flags, mode_t mode) {
  char space[PATH_MAX];
  if (boot_file != NULL && path != NULL && strcmp(path, BOOT_ID) == 0) path = boot_file;
  const char *name = named(folder, path, space);
  struct rule kept;
  const struct rule *rule = meet("open", name, &kept);
  if (fails(rule)) return -1;
  if (name == NULL) {
    const int fd = syscall(SYS_openat, folder, path, flags, mode);
    know(fd, NULL);
    return fd;
  }
  pthread_mutex_lock(&order);
  const int is_new = (flags & O_CREAT) != 0 && inode_at(folder, path) == 0;
  const int fd = syscall(SYS_openat, folder, path, flags, mode);
  know(fd, name);
  if (fd >= 0 && is_new) put("create", name, inode_of(fd), 0, 0, 0, "", NULL, 0);
  else if (fd >= 0 && (flags & O_TRUNC) != 0) put("truncate", name, inode_of(fd), 0, 0, 0, "", NULL, 0);
  pthread_mutex_unlock(&order);
  end(rule);
  return fd;
}

#define MODE mode_t mode = 0; if ((flags & (O_CREAT | O_TMPFILE)) != 0) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE return opened(folder, path, flags | O_LARGEFILE, mode); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int fd) {
  know(fd, NULL);
  return REAL(close)(fd);
}

static FILE *opened_stream(const char *path, const char *mode) {
  char space[PATH_MAX];
  if (named(AT_FDCWD, path, space) == NULL) return REAL(fopen)(path, mode);
  const int access = strchr(mode, '+') != NULL ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
  const int how = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : 0;
  const int fd = opened(AT_FDCWD, path, access | how | (strchr(mode, 'e') != NULL ? O_CLOEXEC : 0), 0666);
  return fd < 0 ? NULL : fdopen(fd, mode);
}

FILE *fopen(const char *path, const char *mode) { return opened_stream(path, mode); }
FILE *fopen64(const char *path, const char *mode) { return opened_stream(path, mode); }

DIR *opendir(const char *path) {
  char space[PATH_MAX];
  struct rule kept;
  return fails(meet("open", named(AT_FDCWD, path, space), &kept)) ? NULL : REAL(opendir)(path);
}

/* Reading. */

static void flip(const struct rule *rule, const struct iovec *pieces, int count, off_t from, ssize_t length) {
  off_t at = rule->at < 0 ? length / 2 : rule->at - from;
  if (at < 0 || at >= length) return;
  for (int i = 0; i < count; i++) {
    if (at < (off_t)pieces[i].iov_len) {
      ((unsigned char *)pieces[i].iov_base)[at] ^= 8;
      return;
    }
    at -= pieces[i].iov_len;
  }
}

/* @param offset - -1: where the file is */
static ssize_t reading(int fd, const struct iovec *pieces, int count, off_t offset) {
  char space[PATH_MAX];
  struct rule kept;
  const struct rule *rule = meet("read", of(fd, space), &kept);
  if (fails(rule)) return -1;
  const off_t from = offset >= 0 || rule == NULL ? offset : lseek(fd, 0, SEEK_CUR);
  struct iovec half;
  if (rule != NULL && rule->action == SHORT && count > 0) {
    half = (struct iovec){pieces[0].iov_base, (pieces[0].iov_len + 1) / 2};
    pieces = &half;
    count = 1;
  }
  const ssize_t length = offset < 0 ? syscall(SYS_readv, fd, pieces, count) : syscall(SYS_preadv, fd, pieces, count, offset, 0);
  if (rule != NULL && rule->action == FLIP) flip(rule, pieces, count, from, length);
  end(rule);
  return length;
}

#define ONE(bytes, size) &(struct iovec){(void *)(bytes), (size)}, 1

ssize_t read(int fd, void *bytes, size_t size) { return reading(fd, ONE(bytes, size), -1); }
ssize_t pread(int fd, void *bytes, size_t size, off_t offset) { return reading(fd, ONE(bytes, size), offset); }
ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset) { return reading(fd, ONE(bytes, size), offset); }
ssize_t readv(int fd, const struct iovec *pieces, int count) { return reading(fd, pieces, count, -1); }
ssize_t preadv(int fd, const struct iovec *pieces, int count, off_t offset) { return reading(fd, pieces, count, offset); }
ssize_t preadv64(int fd, const struct iovec *pieces, int count, off64_t offset) { return reading(fd, pieces, count, offset); }

#undef fread_unlocked
size_t fread_unlocked(void *bytes, size_t size, size_t count, FILE *stream) {
  char space[PATH_MAX];
  struct rule kept;
  const struct rule *rule = meet("read", of(fileno(stream), space), &kept);
  if (fails(rule)) return 0;
  const off_t from = rule == NULL ? 0 : ftell(stream);
  const size_t found = REAL(fread_unlocked)(bytes, size, count, stream);
  if (rule != NULL && rule->action == FLIP) flip(rule, ONE(bytes, size * found), from, size * found);
  return found;
}

/* Writing. */

static ssize_t writing(int fd, const struct iovec *pieces, int count, off_t offset) {
  char space[PATH_MAX];
  const char *name = of(fd, space);
  if (name == NULL) return offset < 0 ? syscall(SYS_writev, fd, pieces, count) : syscall(SYS_pwritev, fd, pieces, count, offset, 0);
  struct rule kept;
  off_t until = offset < 0 ? lseek(fd, 0, SEEK_CUR) : offset;
  for (int i = 0; i < count; i++) until += pieces[i].iov_len;
  const struct rule *rule = meet_until("write", name, until, &kept);
  if (fails(rule)) return -1;
  struct iovec half;
  if (rule != NULL && (rule->action == SHORT || rule->action == TORN) && count > 0) {
    half = (struct iovec){pieces[0].iov_base, (pieces[0].iov_len + 1) / 2};
    pieces = &half;
    count = 1;
  }
  pthread_mutex_lock(&order);
  const ssize_t length = offset < 0 ? syscall(SYS_writev, fd, pieces, count) : syscall(SYS_pwritev, fd, pieces, count, offset, 0);
  if (length >= 0 && trace >= 0) {
    struct stat found;
    fstat(fd, &found);
    const int appends = (fcntl(fd, F_GETFL) & O_APPEND) != 0;
    const off_t at = appends ? found.st_size - length : offset < 0 ? lseek(fd, 0, SEEK_CUR) - length : offset;
    put("write", name, found.st_ino, at, length, length, "", pieces, count);
  }
  pthread_mutex_unlock(&order);
  end(rule);
  if (rule != NULL && rule->action == TORN) {
    errno = ENOSPC;
    return -1;
  }
  return length;
}

ssize_t write(int fd, const void *bytes, size_t size) { return writing(fd, ONE(bytes, size), -1); }
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return writing(fd, ONE(bytes, size), offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) { return writing(fd, ONE(bytes, size), offset); }
ssize_t writev(int fd, const struct iovec *pieces, int count) { return writing(fd, pieces, count, -1); }
ssize_t pwritev(int fd, const struct iovec *pieces, int count, off_t offset) { return writing(fd, pieces, count, offset); }
ssize_t pwritev64(int fd, const struct iovec *pieces, int count, off64_t offset) { return writing(fd, pieces, count, offset); }

/* What makes it durable. */

static int syncing(int fd, int (*call)(int)) {
  char space[PATH_MAX];
  const char *name = of(fd, space);
  if (name == NULL) return call(fd);
  pthread_mutex_lock(&order);
  const long number = ++syncs;
  const ino_t inode = inode_of(fd);
  put("sync-start", name, inode, number, getpid(), 0, "", NULL, 0);
  pthread_mutex_unlock(&order);
  struct rule kept;
  const struct rule *rule = meet("sync", name, &kept);
  const int result = fails(rule) ? -1 : call(fd);
  pthread_mutex_lock(&order);
  put("sync", name, inode, number, getpid(), result, "", NULL, 0);
  pthread_mutex_unlock(&order);
  end(rule);
  return result;
}

int fsync(int fd) { return syncing(fd, REAL(fsync)); }
int fdatasync(int fd) { return syncing(fd, REAL(fdatasync)); }

/* Names. */

#define CHANGE(op, name, call, ...)             \
  struct rule kept;                              \
  const struct rule *rule = meet(op, name, &kept); \
  if (fails(rule)) return -1;                    \
  pthread_mutex_lock(&order);                    \
  const int result = call;                       \
  if (result == 0 && (name) != NULL) put(__VA_ARGS__); \
  pthread_mutex_unlock(&order);                  \
  end(rule);                                     \
  return result;

static int renaming(int from_folder, const char *from, int to_folder, const char *to) {
  char one[PATH_MAX], two[PATH_MAX], both[2 * PATH_MAX];
  const char *name = named(from_folder, from, one), *next = named(to_folder, to, two);
  snprintf(both, sizeof both, "%.2000s\v%.2000s", name == NULL ? "" : name, next == NULL ? "" : next);
  CHANGE("rename", next, syscall(SYS_renameat, from_folder, from, to_folder, to), "rename", both, inode_at(to_folder, to), 0, 0, 0, "", NULL, 0)
}

int rename(const char *from, const char *to) { return renaming(AT_FDCWD, from, AT_FDCWD, to); }
int renameat(int from_folder, const char *from, int to_folder, const char *to) { return renaming(from_folder, from, to_folder, to); }

static int unlinking(int folder, const char *path, int flags) {
  char space[PATH_MAX];
  const char *name = named(folder, path, space);
  CHANGE("unlink", name, syscall(SYS_unlinkat, folder, path, flags), "unlink", name, 0, 0, 0, 0, "", NULL, 0)
}

int unlink(const char *path) { return unlinking(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return unlinking(folder, path, flags); }
int rmdir(const char *path) { return unlinking(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode) {
  char space[PATH_MAX];
  const char *name = named(AT_FDCWD, path, space);
  CHANGE("mkdir", name, syscall(SYS_mkdirat, AT_FDCWD, path, mode), "mkdir", name, inode_at(AT_FDCWD, path), 0, 0, 0, "", NULL, 0)
}

int link(const char *from, const char *to) {
  char space[PATH_MAX];
  const char *name = named(AT_FDCWD, to, space);
  CHANGE("link", name, syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0), "link", name, inode_at(AT_FDCWD, to), 0, 0, 0, "", NULL, 0)
}

/* Sizes. */

static int truncating(int fd, off_t size) {
  char space[PATH_MAX];
  const char *name = of(fd, space);
  CHANGE("truncate", name, syscall(SYS_ftruncate, fd, size), "truncate", name, inode_of(fd), size, 0, 0, "", NULL, 0)
}

int ftruncate(int fd, off_t size) { return truncating(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncating(fd, size); }

int fallocate(int fd, int mode, off_t from, off_t size) {
  char space[PATH_MAX];
  struct rule kept;
  return fails(meet("allocate", of(fd, space), &kept)) ? -1 : REAL(fallocate)(fd, mode, from, size);
}

/* Room. */

#define ROOM(path_of, call, free_blocks, free_inodes)         \
  char space[PATH_MAX];                                       \
  struct rule kept;                                           \
  const struct rule *rule = meet("statfs", path_of, &kept);   \
  if (fails(rule)) return -1;                                 \
  const int result = call;                                    \
  if (result == 0 && rule != NULL && rule->action == FULL) found->f_bfree = found->f_bavail = 0; \
  if (result == 0 && rule != NULL && rule->action == NO_INODES) free_inodes = 0; \
  return result;

int statfs(const char *path, struct statfs *found) { ROOM(named(AT_FDCWD, path, space), REAL(statfs)(path, found), f_bavail, found->f_ffree) }
int statfs64(const char *path, struct statfs64 *found) { ROOM(named(AT_FDCWD, path, space), REAL(statfs64)(path, found), f_bavail, found->f_ffree) }
int statvfs(const char *path, struct statvfs *found) { ROOM(named(AT_FDCWD, path, space), REAL(statvfs)(path, found), f_bavail, found->f_ffree = found->f_favail) }
