/** Series of samples: what a run's file keeps of each contestant, and how a series is found in a record that names none. */

/** Samples of one contestant in one comparison. */
export interface Series {
  /** The comparison that it belongs to; series of one group are drawn and read side by side. */
  group: string;
  name: string;
  /** `ms`, `/s`, `MB`, or empty. */
  unit: string;
  better: "lower" | "higher";
  /** The name of the series of the same group that this one took turns with and is read against. */
  base?: string;
  /** How many samples were taken in one turn; 1 unless given. */
  perTurn?: number;
  values: number[];
}

export interface SeriesOptions {
  unit?: string;
  better?: "lower" | "higher";
  base?: string;
  perTurn?: number;
}

/** Samples by contestant as series of one group; milliseconds, of which fewer are better, unless said otherwise. */
export function seriesOf(
  group: string,
  samples: ReadonlyMap<string, readonly number[]>,
  { unit = "ms", better = "lower", ...rest }: SeriesOptions = {},
): Series[] {
  return [...samples].map(([name, values]) => ({ group, name, unit, better, ...rest, values: [...values] }));
}

/**
 * The series in a record that gives none: each list of numbers, and each number that the objects of a list have in common, by its
 * path. Fewer are taken to be better.
 */
export function seriesIn(record: object): Series[] {
  const found: Series[] = [];
  const add = (path: readonly string[], values: number[]) => {
    const name = path.at(-1) ?? "";
    found.push({ group: path.slice(0, -1).join(" · "), name, unit: "", better: "lower", values });
  };
  const walk = (value: unknown, path: readonly string[]) => {
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
      return;
    }
    const items: unknown[] = value;
    const numbers = items.filter((item) => typeof item === "number");
    if (numbers.length > 0 && numbers.length === items.length) add(path, numbers);
    else walkRows(items, path);
  };
  const walkRows = (items: readonly unknown[], path: readonly string[]) => {
    const rows = items.filter((item) => typeof item === "object" && item !== null);
    if (rows.length !== items.length) return;
    const keys = new Set(rows.flatMap((row) => Object.keys(row ?? {})));
    for (const key of keys) {
      const values = rows.map((row) => Reflect.get(row ?? {}, key));
      if (values.every((value) => typeof value === "number")) add([...path, key], values);
    }
  };
  walk(record, []);
  return found;
}
