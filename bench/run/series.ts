/** Series of samples per contestant, and how to find them in a record without explicit series. */

export interface Series {
  group: string;
  name: string;
  /** `ms`, `/s`, `MB`, or empty. */
  unit: string;
  better: "lower" | "higher";
  /** The series in the same group that this one took turns with and is compared to. */
  base?: string;
  perTurn?: number;
  values: number[];
}

export interface SeriesOptions {
  unit?: string;
  better?: "lower" | "higher";
  base?: string;
  perTurn?: number;
}

/** Samples by contestant as series of one group. Default: milliseconds, lower is better. */
export function seriesOf(
  group: string,
  samples: ReadonlyMap<string, readonly number[]>,
  { unit = "ms", better = "lower", ...rest }: SeriesOptions = {},
): Series[] {
  return [...samples].map(([name, values]) => ({ group, name, unit, better, ...rest, values: [...values] }));
}

/** Finds series in a record: each list of numbers, and each numeric field of a list of objects, named by path. Lower is better. */
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
