/** Runs that share a profile take turns, so that none closes a browser another is using. */

export interface Turns {
  /** Waits for the profile's earlier turns. The turn lasts until `over` settles. */
  take(profileId: string, over: Promise<void>): Promise<void>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>();
  return {
    async take(profileId, over) {
      const before = last.get(profileId);
      const mine = Promise.all([before, over]).then(() => {
        if (last.get(profileId) === mine) last.delete(profileId);
      });
      last.set(profileId, mine);
      await before;
    },
  };
}
