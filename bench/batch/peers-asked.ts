/** Which peers suite `batch` runs beside. */
const known = ["cluster", "crawlee"];

/** All, unless `asked` names some, with commas between them. Throws for a name that is none: ours would be measured alone, without a word. */
export function peersAsked(asked: string | undefined): string[] {
  if (asked === undefined || asked === "") return known;
  const names = asked.split(",");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`BATCH_PEERS takes ${known.join(" and ")}, with a comma between them, not "${unknown}"`);
  return known.filter((name) => names.includes(name));
}
