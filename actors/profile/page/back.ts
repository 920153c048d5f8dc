/** The verb back: a step back in the tab's history. */
import { goTo } from "./history.ts";
import type { Work } from "./work.ts";

export const work: Work<"back"> = (turn) => goTo(turn, "back");
