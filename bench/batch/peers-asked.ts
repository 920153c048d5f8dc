/** Parses which peers suite `batch` runs. */
const known = ["cluster", "crawlee"];

/** All peers unless `asked` names some, separated by commas. Throws for an unknown name, so that a typo does not skip the comparison. */
export function peersAsked(asked: string | undefined): string[] {
  if (asked === undefined || asked === "") return known;
  const names = asked.split(",");
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`BATCH_PEERS takes ${known.join(" and ")}, with a comma between them, not "${unknown}"`);
  return known.filter((name) => names.includes(name));
}
