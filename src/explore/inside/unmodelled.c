/* Functions through which threads could wait for each other, or learn of each other, and that the machine knows nothing
 * of. Called by code under test they end the run by name: what would follow was not explored. Our own code may call
 * them. */
#include "explore/inside/failures.h"
#include "explore/inside/fiber.h"
#include "explore/inside/real.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

void refuse(const char *name, uintptr_t pc) {
    if (mode_now() != OUTSIDE)
        fail(FAILURE_UNMODELLED, "thread %u calls %s, which is not modelled, at %#lx", fiber_now()->number, name,
             (unsigned long)pc);
}

/* All of these take at most six words and return one. */
typedef long any_function(long, long, long, long, long, long);
#define REFUSE(name) \
    long refuse_##name(long a, long b, long c, long d, long e, long f) __asm__(#name); \
    EXPORT long refuse_##name(long a, long b, long c, long d, long e, long f) { \
        refuse(#name, CALLER); \
        return ((any_function *)real_function(#name))(a, b, c, d, e, f); \
    }

REFUSE(ppoll)
REFUSE(pselect)
REFUSE(epoll_wait)
REFUSE(epoll_pwait)
REFUSE(epoll_pwait2)
REFUSE(accept)
REFUSE(accept4)
REFUSE(connect)
REFUSE(recv)
REFUSE(recvfrom)
REFUSE(recvmsg)
REFUSE(recvmmsg)
REFUSE(send)
REFUSE(sendto)
REFUSE(sendmsg)
REFUSE(pipe)
REFUSE(pipe2)
REFUSE(socketpair)
REFUSE(eventfd)
REFUSE(mq_open)
REFUSE(mq_receive)
REFUSE(mq_timedreceive)
REFUSE(mq_send)
REFUSE(mq_timedsend)
REFUSE(msgget)
REFUSE(msgrcv)
REFUSE(msgsnd)
REFUSE(semget)
REFUSE(semop)
REFUSE(semtimedop)
REFUSE(shmat)
REFUSE(shm_open)
REFUSE(sigwait)
REFUSE(sigwaitinfo)
REFUSE(sigtimedwait)
REFUSE(sigsuspend)
REFUSE(pause)
REFUSE(alarm)
REFUSE(setitimer)
REFUSE(timer_create)
REFUSE(timer_settime)
REFUSE(signalfd)
REFUSE(timerfd_create)
REFUSE(pthread_sigqueue)
REFUSE(tgkill)
REFUSE(kill)
REFUSE(killpg)
REFUSE(pthread_cancel)
REFUSE(pthread_timedjoin_np)
REFUSE(pthread_clockjoin_np)
REFUSE(pthread_getattr_np)
REFUSE(pthread_mutex_consistent)
REFUSE(pthread_mutex_setprioceiling)
REFUSE(pthread_setschedparam)
REFUSE(pthread_getcpuclockid)
REFUSE(pthread_atfork)
REFUSE(sem_open)
REFUSE(sem_close)
REFUSE(sem_unlink)
REFUSE(fork)
REFUSE(vfork)
REFUSE(_Fork)
REFUSE(clone)
REFUSE(posix_spawn)
REFUSE(posix_spawnp)
REFUSE(system)
REFUSE(popen)
REFUSE(pclose)
REFUSE(wait)
REFUSE(waitpid)
REFUSE(waitid)
REFUSE(wait3)
REFUSE(wait4)
REFUSE(execve)
REFUSE(execvp)
REFUSE(execv)
REFUSE(execvpe)
REFUSE(lockf)
REFUSE(flock)
REFUSE(aio_read)
REFUSE(aio_write)
REFUSE(aio_suspend)
REFUSE(dlopen)
REFUSE(dlclose)
REFUSE(swapcontext)
REFUSE(makecontext)
REFUSE(setcontext)
REFUSE(getcontext)
REFUSE(sbrk)
REFUSE(brk)
REFUSE(mremap)
REFUSE(mmap)
REFUSE(mmap64)

/* Reading a plain file tells nothing of other threads and never waits for one; anything else might. */
static bool file_is_plain(int fd) {
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}
EXPORT ssize_t read(int fd, void *to, size_t n) {
    if (mode_now() != OUTSIDE && !file_is_plain(fd)) refuse("read of what is no plain file", CALLER);
    return REAL(read)(fd, to, n);
}
EXPORT ssize_t write(int fd, const void *from, size_t n) {
    if (mode_now() != OUTSIDE && fd > 2 && !file_is_plain(fd)) refuse("write to what is no plain file", CALLER);
    return REAL(write)(fd, from, n);
}
