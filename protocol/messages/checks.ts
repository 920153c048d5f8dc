/** The shape of a table of checks: one for each method of an actor's interface, made by typia (actors/README.md, "Messages"). */

/** For each method, a function that returns its input when it fits and throws when it does not. */
export type Checks<Api> = {
  [Method in keyof Api]: Api[Method] extends (input: infer Input) => unknown
    ? (input: unknown) => Input
    : never;
};
