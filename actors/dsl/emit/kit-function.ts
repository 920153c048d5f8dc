/** What a function of the kit is: its text, and what it needs itself. */

/** A function of the kit: its text, what of the kit it calls itself, and what it imports. */
export interface KitFunction {
  text: string;
  uses?: readonly string[];
  /** Names of types and values of the library that it needs. */
  types?: readonly string[];
  values?: readonly string[];
}

export type KitTable = Readonly<Record<string, KitFunction>>;
