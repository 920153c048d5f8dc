/** Seeds that found a bug in the product; every test run includes them. */
export const knownSeeds: readonly { seed: number; found: string }[] = [
  { seed: 29, found: "a run whose end could not be written for some seconds, on a full disk, never ended" },
  {
    seed: 44,
    found: "a clock set back while the disk was full: writes were refused until it showed the old time again",
  },
  { seed: 1_002, found: "a clock set back by hours held the next part of a staggered run up for as long" },
];
