/* The locks of ConcurrencyKit, as libck-dev ships them, around a counter that is not atomic; those for readers and
 * writers with an operation that only reads. One flag for each, all right: FAS CAS DEC TICKET ANDERSON MCS CLH; RWLOCK
 * BYTELOCK PFLOCK TFLOCK.
 *
 * BUG_READ: the counter is incremented under the read lock. */
#include <plumbline/test.h>

#include <ck_bytelock.h>
#include <ck_pflock.h>
#include <ck_rwlock.h>
#include <ck_spinlock.h>
#include <ck_tflock.h>
#include <stdlib.h>

#if defined FAS
static ck_spinlock_fas_t lock = CK_SPINLOCK_FAS_INITIALIZER;
#define LOCK ck_spinlock_fas_lock(&lock)
#define UNLOCK ck_spinlock_fas_unlock(&lock)
#elif defined CAS
static ck_spinlock_cas_t lock = CK_SPINLOCK_CAS_INITIALIZER;
#define LOCK ck_spinlock_cas_lock_eb(&lock)
#define UNLOCK ck_spinlock_cas_unlock(&lock)
#elif defined DEC
static ck_spinlock_dec_t lock = CK_SPINLOCK_DEC_INITIALIZER;
#define LOCK ck_spinlock_dec_lock(&lock)
#define UNLOCK ck_spinlock_dec_unlock(&lock)
#elif defined TICKET
static ck_spinlock_ticket_t lock = CK_SPINLOCK_TICKET_INITIALIZER;
#define LOCK ck_spinlock_ticket_lock(&lock)
#define UNLOCK ck_spinlock_ticket_unlock(&lock)
#elif defined ANDERSON
static ck_spinlock_anderson_t lock;
static ck_spinlock_anderson_thread_t slot[4];
PLUMB_SETUP { ck_spinlock_anderson_init(&lock, slot, 4); }
#define LOCK ck_spinlock_anderson_thread_t *mine; ck_spinlock_anderson_lock(&lock, &mine)
#define UNLOCK ck_spinlock_anderson_unlock(&lock, mine)
#elif defined MCS
static ck_spinlock_mcs_t lock;
#define LOCK struct ck_spinlock_mcs mine; ck_spinlock_mcs_lock(&lock, &mine)
#define UNLOCK ck_spinlock_mcs_unlock(&lock, &mine)
#elif defined CLH
static ck_spinlock_clh_t *lock, released;
PLUMB_SETUP { ck_spinlock_clh_init(&lock, &released); }
#define LOCK ck_spinlock_clh_t *mine = malloc(sizeof *mine); ck_spinlock_clh_lock(&lock, mine)
#define UNLOCK ck_spinlock_clh_unlock(&mine)
#elif defined BYTELOCK
static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
static unsigned slots;
#define LOCK ck_bytelock_write_lock(&lock, __atomic_add_fetch(&slots, 1, __ATOMIC_SEQ_CST))
#define UNLOCK ck_bytelock_write_unlock(&lock)
#define READ_LOCK unsigned mine = __atomic_add_fetch(&slots, 1, __ATOMIC_SEQ_CST); ck_bytelock_read_lock(&lock, mine)
#define READ_UNLOCK ck_bytelock_read_unlock(&lock, mine)
#elif defined PFLOCK
static ck_pflock_t lock = CK_PFLOCK_INITIALIZER;
#define LOCK ck_pflock_write_lock(&lock)
#define UNLOCK ck_pflock_write_unlock(&lock)
#define READ_LOCK ck_pflock_read_lock(&lock)
#define READ_UNLOCK ck_pflock_read_unlock(&lock)
#elif defined TFLOCK
static ck_tflock_ticket_t lock = CK_TFLOCK_TICKET_INITIALIZER;
#define LOCK ck_tflock_ticket_write_lock(&lock)
#define UNLOCK ck_tflock_ticket_write_unlock(&lock)
#define READ_LOCK ck_tflock_ticket_read_lock(&lock)
#define READ_UNLOCK ck_tflock_ticket_read_unlock(&lock)
#else
static ck_rwlock_t lock = CK_RWLOCK_INITIALIZER;
#define READ_LOCK ck_rwlock_read_lock(&lock)
#define READ_UNLOCK ck_rwlock_read_unlock(&lock)
#ifdef BUG_READ
#define LOCK READ_LOCK
#define UNLOCK READ_UNLOCK
#else
#define LOCK ck_rwlock_write_lock(&lock)
#define UNLOCK ck_rwlock_write_unlock(&lock)
#endif
#endif

static long count;

PLUMB_OBJECT("fetch-add")
PLUMB_OP(add, n) {
    LOCK;
    long before = count;
    count = before + n;
    UNLOCK;
    return plumb_int(before);
}
#ifdef READ_LOCK
PLUMB_OP(get) {
    READ_LOCK;
    long now = count;
    READ_UNLOCK;
    return plumb_int(now);
}
#endif
