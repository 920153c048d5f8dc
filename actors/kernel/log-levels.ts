/** How much is logged, by area. */
import { Fault } from "../../protocol/faults.ts";
import { threadNames } from "./entries.ts";

/** What `TROUPE_LOG` may name: the gateway, each actor, the DevTools traffic of browsers, and the processes of scripts. */
export const logAreas = ["gateway", ...threadNames, "cdp", "script"] as const;
export type LogArea = (typeof logAreas)[number];

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

const usual: LogLevel = "info";

/** The lowest level that is written of each scope. Without areas, a level is for all; otherwise the other areas keep the usual one. */
export type LevelOf = (scope: string) => LogLevel;

/** Reads `debug` or `debug:pool,cdp`. Throws `invalid`. */
export function readLevels(text: string): LevelOf {
  if (text === "") return () => usual;
  const [word = "", named, ...more] = text.split(":");
  const level = logLevels.find((known) => known === word);
  const areas = named?.split(",").map((area) => area.trim());
  const unknown = areas?.find((area) => !logAreas.some((known) => known === area));
  if (level === undefined || unknown !== undefined || more.length > 0) {
    throw new Fault(
      "invalid",
      `TROUPE_LOG must be ${logLevels.join(", ")}, or one of them with areas, as in debug:pool,cdp (areas: ${logAreas.join(", ")}), got ${JSON.stringify(text.slice(0, 80))}`,
    );
  }
  return (scope) => (areas === undefined || areas.includes(scope) ? level : usual);
}

/** The level of `scope` by `TROUPE_LOG`; the usual one when the variable is wrong, which only a start of the service refuses. */
export function levelOf(scope: string, env: NodeJS.ProcessEnv = process.env): LogLevel {
  try {
    return readLevels(env.TROUPE_LOG ?? "")(scope);
  } catch {
    return usual;
  }
}
