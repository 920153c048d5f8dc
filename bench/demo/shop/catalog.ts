/** Products of the demo's shop, and their search. */

export interface Product {
  id: string;
  name: string;
  about: string;
  priceCents: number;
}

export const catalog: readonly Product[] = [
  { id: "kettle", name: "Steel kettle", about: "1.7 litres, whistles in F sharp.", priceCents: 3495 },
  {
    id: "teapot",
    name: "Clay teapot",
    about: "For four cups of tea, or three of patience.",
    priceCents: 2890,
  },
  { id: "lamp", name: "Reading lamp", about: "Warm light for late chapters.", priceCents: 4250 },
  { id: "desk-lamp", name: "Desk lamp", about: "A long arm and a steady hand.", priceCents: 5999 },
  { id: "notebook", name: "Dotted notebook", about: "192 numbered pages.", priceCents: 1290 },
  { id: "pen", name: "Fountain pen", about: "Fine nib, blue-black cartridge.", priceCents: 2375 },
  { id: "blanket", name: "Wool blanket", about: "130 by 180 cm, undyed.", priceCents: 7900 },
  { id: "candle", name: "Beeswax candle", about: "Burns for 40 hours.", priceCents: 995 },
  { id: "grinder", name: "Coffee grinder", about: "Steel burrs, by hand.", priceCents: 4980 },
  { id: "scarf", name: "Merino scarf", about: "Two metres of autumn.", priceCents: 3650 },
];

export function search(term: string): Product[] {
  const wanted = term.trim().toLowerCase();
  if (wanted === "") return [];
  return catalog.filter(({ name, about }) => `${name} ${about}`.toLowerCase().includes(wanted));
}

export function productOf(id: string): Product | undefined {
  return catalog.find((product) => product.id === id);
}
