/* What could not be written to standard output is noticed, whichever way it went there. */
#ifndef PLUMB_CLI_STANDARD_OUTPUT_H
#define PLUMB_CLI_STANDARD_OUTPUT_H

void standard_output_failed(int why); /* an errno; the first one counts */
/* At the end of every command: flushes, and says what was lost. A result that was not told is no result: an exit code
 * that is a verdict becomes 66. */
int standard_output_end(int code);

#endif
