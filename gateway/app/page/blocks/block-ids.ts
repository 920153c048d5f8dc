/** Maps ids on the canvas, which may contain any character, to valid ids in the document. */

/** @param others ids of blocks that are not on this canvas, which must not be used again */
export function createIds(others: Iterable<string>) {
  const known = new Map<string, string>();
  const taken = new Set<string>(others);
  return {
    of(id: string): string {
      const given = known.get(id);
      if (given !== undefined) return given;
      let made = id;
      for (let number = 1; !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(made) || taken.has(made); number += 1) {
        made = `n${number}`;
      }
      known.set(id, made);
      taken.add(made);
      return made;
    },
    keep: (id: string) => {
      known.set(id, id);
      taken.add(id);
    },
  };
}
