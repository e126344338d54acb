#include "drive/node_disk.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PATH_ROOM = 560 };
static const char standard_size[] = "size=1g";

static void disk_path(const char *folder, unsigned node, char path[PATH_ROOM]) {
    snprintf(path, PATH_ROOM, "%s/n%u", folder, node + 1);
}

static bool complain(const char *path, text *why) {
    text_printf(why, "%s: %s", path, strerror(errno));
    return false;
}

bool node_disks_make(const char *folder, unsigned nodes, text *why) {
    char path[PATH_ROOM];
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
        text_printf(why, "it needs root and a mount namespace: %s", strerror(errno));
        return false;
    }
    for (unsigned n = 0; n < nodes; n++) {
        disk_path(folder, n, path);
        if (mkdir(path, 0700) || mount("plumb-drive", path, "tmpfs", MS_NOSUID | MS_NODEV, standard_size))
            return complain(path, why);
    }
    return true;
}

static bool resize(const char *path, const char *size, text *why) {
    return mount(NULL, path, NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV, size) == 0 || complain(path, why);
}

bool node_disk_fill(const char *folder, unsigned node, text *why) {
    char path[PATH_ROOM], size[64];
    struct statvfs s;
    disk_path(folder, node, path);
    if (statvfs(path, &s)) return complain(path, why);
    unsigned long used = (unsigned long)(s.f_blocks - s.f_bfree) * s.f_frsize;
    snprintf(size, sizeof size, "size=%lu", used ? used : s.f_frsize); /* 0 would be: no limit */
    return resize(path, size, why);
}

bool node_disk_free(const char *folder, unsigned node, text *why) {
    char path[PATH_ROOM];
    disk_path(folder, node, path);
    return resize(path, standard_size, why);
}

void node_disks_remove(const char *folder, unsigned nodes) {
    char path[PATH_ROOM];
    node_disks_unmount(folder, nodes);
    for (unsigned n = 0; n < nodes; n++) {
        disk_path(folder, n, path);
        rmdir(path);
    }
}

void node_disks_unmount(const char *folder, unsigned nodes) {
    char path[PATH_ROOM];
    for (unsigned n = 0; n < nodes; n++) {
        disk_path(folder, n, path);
        umount2(path, MNT_DETACH);
    }
}
