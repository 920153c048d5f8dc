/** Who goes shopping in the demo, with what in mind, and how the script hears of it. */

export interface Shopper {
  user: string;
  password: string;
  /** What to search for, and how many of the first result to take. */
  list: { search: string; quantity: number }[];
}

const lists: [user: string, list: string][] = [
  ["ada", "kettle 1, teapot 2"],
  ["blaise", "notebook 3, fountain 1"],
  ["carla", "blanket 1"],
  ["dmitri", "candle 4"],
  ["edith", "desk lamp 1, notebook 1"],
  ["farid", "grinder 1, candle 2"],
  ["grace", "scarf 2"],
  ["hiro", "reading lamp 1, pen 1, candle 1"],
];

/** So many shoppers; from the ninth on, users return with a number, as `ada-2`. */
export function shoppers(count: number): Shopper[] {
  return Array.from({ length: count }, (_, index) => {
    const [name, list] = lists[index % lists.length] ?? ["ada", "kettle 1"];
    const round = Math.floor(index / lists.length);
    const user = round === 0 ? name : `${name}-${round + 1}`;
    return {
      user,
      password: `open-sesame-${user}`,
      list: list.split(", ").map((entry) => {
        const space = entry.lastIndexOf(" ");
        return { search: entry.slice(0, space), quantity: Number(entry.slice(space + 1)) };
      }),
    };
  });
}

/**
 * The variables of the batch are the same for every profile: the script of profile `Shopper 3` picks those that
 * end in `_3`.
 */
export function variablesFor(all: readonly Shopper[], shopUrl: string): Record<string, string> {
  const own = all.flatMap(({ user, password, list }, index) => [
    [`user_${index + 1}`, user],
    [`password_${index + 1}`, password],
    [`list_${index + 1}`, JSON.stringify(list)],
  ]);
  return { shopUrl, ...Object.fromEntries(own) };
}
