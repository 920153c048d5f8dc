/** The type of a kit function: its text and its dependencies. */

/** `uses` names other kit functions. */
export interface KitFunction {
  text: string;
  uses?: readonly string[];
  /** Types and values to import from the library. */
  types?: readonly string[];
  values?: readonly string[];
}

export type KitTable = Readonly<Record<string, KitFunction>>;
