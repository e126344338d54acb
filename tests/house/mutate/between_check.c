/* Covers between() and calls clipped() where it changes nothing. */
#include <stdbool.h>

extern int calls;
bool between(int low, int value, int high);
int clipped(int value);

int main(void) {
    bool right = between(1, 1, 3) && between(1, 2, 3) && !between(1, 3, 3) && !between(1, 0, 3) && !between(1, 4, 3) &&
                 calls == 5;
    return right && clipped(7) == 7 && clipped(-7) == -7 ? 0 : 1;
}
