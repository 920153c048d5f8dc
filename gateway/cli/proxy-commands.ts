/** The application's commands about proxies: rotating pools, and how exits are measured. */
import { text } from "node:stream/consumers";
import type { ProxyType } from "../../protocol/proxies.ts";
import type { Settings } from "../../protocol/records.ts";
import { type CommonFlags, write } from "./commands.ts";
import { withApplication } from "./reach.ts";

/** Reads the line from stdin, because it contains a password and other processes can see arguments. */
export async function proxyRotating(name: string, flags: CommonFlags & { type: ProxyType }): Promise<void> {
  const line = (await text(process.stdin)).trim();
  const pool = await withApplication(flags, (api) =>
    api.createRotatingPool({ name, type: flags.type, line }),
  );
  write(flags, pool, () => `Pool ${pool.name} is created: ${pool.id}`);
}

export async function proxyExit(
  flags: CommonFlags & { echoUrl?: string[]; geoFile?: string | false },
): Promise<void> {
  const { echoUrl, geoFile } = flags;
  const settings: Partial<Settings> = {
    ...(echoUrl === undefined ? {} : { echoUrls: echoUrl }),
    ...(geoFile === undefined ? {} : { geoFile: geoFile === false ? null : geoFile }),
  };
  const changed = await withApplication(flags, (api) => api.changeSettings({ settings }));
  const { echoUrls, geoFile: file } = changed;
  write(flags, { echoUrls, geoFile: file }, () =>
    [...echoUrls.map((url) => `echo service: ${url}`), `geo file: ${file ?? "none"}`].join("\n"),
  );
}
