/** Seeds that found a bug in the product; every test run includes them. */
export const knownSeeds: readonly { seed: number; found: string }[] = [
  { seed: 29, found: "a run never ended when a full disk delayed the write of its end" },
  {
    seed: 44,
    found: "after a full disk and a clock set back, writes failed until the clock reached the old time",
  },
  { seed: 1_002, found: "a clock set back by hours delayed the next part of a staggered run by hours" },
];
