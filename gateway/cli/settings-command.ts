/** `troupe settings`: shows settings and plan, and changes those given as NAME=VALUE. */
import type { Settings } from "../../protocol/records.ts";
import { type CommonFlags, write } from "./commands.ts";
import { pairOf } from "./flag-values.ts";
import { WrongUsage } from "./output.ts";
import { serviceIfRunning, withApplication } from "./reach.ts";
import { show } from "./show.ts";

/** `changes` such as `idleTimeoutSecs=600` or `plan.flow=false`. */
export async function settings(changes: string[], flags: CommonFlags): Promise<void> {
  const now = await withApplication(flags, async (api) => {
    const before = await api.readSettings({});
    return changes.length === 0 ? before : api.changeSettings({ settings: changed(before, changes) });
  });
  const apiUrl = now.apiEnabled ? null : (await serviceIfRunning(flags)?.status({}))?.apiUrl;
  const note = `\n\nThe API is on at ${apiUrl}: serve --api on overrides apiEnabled and apiPort.`;
  write(flags, now, (value) => `${show(value)}${apiUrl ? note : ""}`);
}

function changed(before: Settings, changes: string[]): Partial<Settings> {
  const after = structuredClone(before);
  const touched: Partial<Settings> = {};
  for (const change of changes) {
    for (const [path, text] of Object.entries(pairOf("a change", change))) {
      const [name = "", inner, ...more] = path.split(".");
      const record: object = inner === undefined ? after : after.plan;
      const key = inner ?? name;
      if (
        more.length > 0 ||
        (inner !== undefined && name !== "plan") ||
        !Object.hasOwn(record, key) ||
        key === "plan"
      ) {
        throw new WrongUsage(`there is no setting ${path}; ${meantIn(record, key)}see: troupe settings`);
      }
      Reflect.set(record, key, valueLike(Reflect.get(record, key), text));
      Object.assign(touched, { [name]: Reflect.get(after, name) });
    }
  }
  return touched;
}

/** Leaves text of another type for the service, whose message says what it must be. */
function valueLike(before: unknown, text: string): unknown {
  if (typeof before === "number")
    return /^\d/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
  if (typeof before === "boolean") return text === "true" || (text === "false" ? false : text);
  if (Array.isArray(before)) return text.split(",").filter((item) => item !== "");
  return text === "null" ? null : text;
}

/** A launch calls the same values by other names, such as freeze_after_secs. */
function meantIn(record: object, key: string): string {
  const plain = (name: string) => name.replaceAll(/[_-]/g, "").toLowerCase();
  const meant = Object.keys(record).find((name) => plain(name) === plain(key));
  return meant === undefined ? "" : `did you mean ${meant}? `;
}
