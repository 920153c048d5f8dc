/** Turns: the parts of one profile, of whichever runs, are driven one after another: none closes the browser that another uses. */

export interface Turns {
  /** Takes the profile's next turn, held until `over` settles. Settles when those before it are over. */
  take(profileId: string, over: Promise<void>): Promise<void>;
}

/** The turns of every profile. */
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
