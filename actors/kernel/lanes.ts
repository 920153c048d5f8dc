/** Works through a list, several items at a time. */

/** Throws what `act` throws first; the other items of that moment still end. */
export async function eachAtMost<Item>(
  most: number,
  items: Iterable<Item>,
  act: (item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: most }, lane));
}
