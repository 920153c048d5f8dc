/** The verb forward: a step forward in the tab's history. */
import { goTo } from "./history.ts";
import type { Work } from "./work.ts";

export const work: Work<"forward"> = (turn) => goTo(turn, "forward");
