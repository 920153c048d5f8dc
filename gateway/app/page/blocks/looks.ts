/** How the canvas looks: the hues of its groups, the toolbox, and the dark theme. */
import { type BlockKind, groupNames } from "./kinds.ts";

export const hues: Record<string, number> = {
  Page: 215,
  Waiting: 40,
  Reading: 150,
  Flow: 280,
  "Tabs and frames": 190,
  Data: 0,
};

export function toolboxOf(kinds: readonly BlockKind[]) {
  const contents = groupNames.map((name) => ({
    kind: "category",
    name,
    colour: String(hues[name] ?? 0),
    contents: kinds.filter(({ group }) => group === name).map(({ kind }) => ({ kind: "block", type: kind })),
  }));
  return { kind: "categoryToolbox", contents };
}

/** The page's dark colours (main.css). */
export const nightColours = {
  workspaceBackgroundColour: "#14171f",
  toolboxBackgroundColour: "#1c2029",
  toolboxForegroundColour: "#e7eaf3",
  flyoutBackgroundColour: "#262b37",
  flyoutForegroundColour: "#e7eaf3",
  flyoutOpacity: 1,
  scrollbarColour: "#6b7488",
  scrollbarOpacity: 0.7,
  insertionMarkerColour: "#ffffff",
  insertionMarkerOpacity: 0.35,
};
