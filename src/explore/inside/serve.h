/* The child's half of a session: answers the parent's questions (explore/talk.h) about the program it lives in. */
#ifndef PLUMB_EXPLORE_INSIDE_SERVE_H
#define PLUMB_EXPLORE_INSIDE_SERVE_H

/* Takes the place of main. */
int explore_main(int argc, char **argv, char **envp, int (*program)(int, char **, char **));

#endif
