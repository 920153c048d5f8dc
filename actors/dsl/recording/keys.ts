/** Merges recorded keyDown and keyUp steps into single key presses with modifiers. */

const modifiers = ["Control", "Shift", "Alt", "Meta"];
const known =
  /^(Enter|Tab|Escape|Backspace|Delete|Insert|Home|End|PageUp|PageDown|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|F[1-9]|F1[0-2]|[!-~])$/;

export interface Keys {
  /** `press` is a key such as `Control+A`; null if nothing is pressed yet, or if `remark` explains why not. */
  down(key: string): { press: string | null; remark: string | null };
  up(key: string): { remark: string | null };
}

export function createKeys(): Keys {
  const held = new Map<string, { used: boolean }>();
  return {
    down(key) {
      if (modifiers.includes(key)) {
        if (!held.has(key)) held.set(key, { used: false });
        return { press: null, remark: null };
      }
      const name = key === " " ? "Space" : key;
      if (!known.test(name) && name !== "Space")
        return {
          press: null,
          remark: `the key ${JSON.stringify(key)} is left out; it is not supported`,
        };
      // A character such as `A` already includes Shift.
      const with_ = [...held.keys()].filter((one) => !(one === "Shift" && name.length === 1));
      for (const state of held.values()) state.used = true;
      return { press: [...with_, name].join("+"), remark: null };
    },
    up(key) {
      const state = held.get(key);
      held.delete(key);
      return state?.used === false
        ? { remark: `${key} was pressed alone; it is left out` }
        : { remark: null };
    },
  };
}
