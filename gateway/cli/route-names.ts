/** Command names of routes: the tag is the group, the operation's id without the group's noun the command. */
import type { Route } from "../route.ts";

const nouns: Record<Route["tag"], string | null> = {
  Profiles: "Profile",
  Proxies: "ProxyPool",
  Datasets: "Dataset",
  Page: null,
  Scripts: "Script",
  Runs: "Run",
  Schedules: "Schedule",
  Service: null,
};

export interface CommandName {
  group: string;
  name: string;
}

/** `listDatasetRows` of tag Datasets is `datasets list-rows`, `waitForElement` of tag Page is `page wait-for-element`. */
export function commandOf({ tag, id }: Pick<Route, "tag" | "id">): CommandName {
  const noun = nouns[tag];
  const bare = noun === null ? id : id.replace(new RegExp(`(?<=[a-z])${noun}s?(?=[A-Z]|$)`), "");
  return { group: tag.toLowerCase(), name: kebab(bare) };
}

export function kebab(name: string): string {
  return name.replaceAll("_", "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function attributeOf(flag: string): string {
  return flag.replace(/-([a-z])/g, (_whole, letter: string) => letter.toUpperCase());
}
