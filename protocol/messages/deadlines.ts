/** Deadlines of calls between threads (actors/README.md, "Messages"). */

/** Milliseconds per method, instead of `limits.callDeadlineMs`; Infinity for no deadline. */
export type Deadlines<Api> = Partial<Record<keyof Api & string, number>>;
