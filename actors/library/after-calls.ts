/** Wraps calls of the library, for what follows from each that succeeds. */

/** The same library, whose calls named in `table` pass their entry, input and result to `after` before they answer. */
export function afterCalls<Library extends object, Entry>(
  library: Library,
  table: Readonly<Record<string, Entry>>,
  after: (entry: Entry, input: unknown, result: unknown) => void,
): Library {
  const wrapped = { ...library };
  for (const [name, entry] of Object.entries(table)) {
    const call: unknown = Reflect.get(library, name);
    if (typeof call !== "function") continue;
    Reflect.set(wrapped, name, async (input: unknown) => {
      const result: unknown = await call.call(library, input);
      after(entry, input, result);
      return result;
    });
  }
  return wrapped;
}
