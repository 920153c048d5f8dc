/** The verb press-key: one named key into the page. */
import { namedKeys, stroke } from "./keyboard.ts";
import type { Work } from "./work.ts";

export const work: Work<"pressKey"> = ({ onTab, acted }, { key }) =>
  onTab(async (tab) => {
    await acted(tab, () => tab.input.give(stroke(namedKeys[key])));
    return {};
  });
