/** The demo's shoppers, their shopping lists, and the script variables for them. */

export interface Shopper {
  user: string;
  password: string;
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

/** From the ninth on, users repeat with a number, such as `ada-2`. */
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

/** All profiles of a batch get the same variables: the script of profile `Shopper 3` uses those with the suffix `_3`. */
export function variablesFor(all: readonly Shopper[], shopUrl: string): Record<string, string> {
  const own = all.flatMap(({ user, password, list }, index) => [
    [`user_${index + 1}`, user],
    [`password_${index + 1}`, password],
    [`list_${index + 1}`, JSON.stringify(list)],
  ]);
  return { shopUrl, ...Object.fromEntries(own) };
}
