/** Which directories the service takes for its data: it empties `tmp` in them, and makes them its user's own. */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What only a service of Troupe, or one of its commands, puts into a directory. */
const mark = /^(library\.(sqlite|journal-\d+)|lock|vault\.key|fleet\.json|instance\.json)$/;
/** Made before those, or there on a disk of its own. */
const harmless =
  /^(cache|events\.jsonl.*|logs|page-port|profiles|runs|uploads|fleet|troupe-task\.xml|lost\+found|\..*)$/s;
const namedMax = 3;

/** Why an existing directory cannot be the service's, and the remedy; null if it can. Throws system errors. */
export function whyUnfit(root: string): string | null {
  const { mode, uid } = statSync(root);
  const me = process.getuid?.();
  if ((mode & 0o002) !== 0 || (me !== undefined && uid !== me))
    return `the data directory ${root} is shared with other users; name a directory of your own`;
  const names = readdirSync(root);
  const tmp = join(root, "tmp");
  if (names.includes("tmp") && lstatSync(tmp).isSymbolicLink())
    return `${tmp} is a symbolic link, and the service empties that directory at each start; remove the link`;
  if (names.some((name) => mark.test(name))) return null;
  const others = names.filter((name) => !harmless.test(name) && !(name === "tmp" && isEmptyDir(tmp)));
  if (others.length === 0) return null;
  const shown = others.slice(0, namedMax).join(", ");
  return `${root} has other files in it (${others.length > namedMax ? `${shown}, …` : shown}) and none of Troupe; name an empty directory, or one that does not exist yet`;
}

function isEmptyDir(path: string): boolean {
  return statSync(path).isDirectory() && readdirSync(path).length === 0;
}
