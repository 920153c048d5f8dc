/** The shape of a table of checks: one for each method of an actor's interface, made by the generate step (actors/README.md, "Messages"). */

/** Each returns its input when it fits, and throws otherwise. */
export type Checks<Api> = {
  [Method in keyof Api]: Api[Method] extends (input: infer Input) => unknown
    ? (input: unknown) => Input
    : never;
};
