/** Chooses the next proxies of a pool: least used first, then by index (protocol/README.md, "Proxies"). Pure. */

/** The next `count` slots; `uses[slot]` is the current number of uses. Empty for an empty pool. */
export function nextSlots(uses: readonly number[], count: number): number[] {
  const used = [...uses];
  const slots: number[] = [];
  if (used.length === 0) return slots;
  for (let level = used.reduce((least, uses) => Math.min(least, uses), Infinity); ; level++) {
    for (const [slot, times] of used.entries()) {
      if (times !== level) continue;
      if (slots.length === count) return slots;
      slots.push(slot);
      used[slot] = times + 1;
    }
  }
}
