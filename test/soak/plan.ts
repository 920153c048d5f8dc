/** What happens to the service during a soak, and when: planned at random before the start. */

/** `service`: killed and restarted. `stop`: stopped and restarted. `freeze`: a browser stands still for a while. */
export type Act =
  | "browser"
  | "renderer"
  | "gpu"
  | "utility"
  | "runner"
  | "service"
  | "stop"
  | "freeze"
  | "disk";

export interface PlannedAct {
  act: Act;
  atMs: number;
}

export interface PlanOptions {
  kills: number;
  durationMs: number;
  smallDisk: boolean;
  random(): number;
}

const kinds: readonly Act[] = ["browser", "renderer", "runner", "service", "gpu", "utility"];
/** The share of the time in which the service may end, so that the last process, which is measured, is old enough. */
const restartsUntil = 0.5;

/** All kinds of kills in turn, each at a random moment of its share of the time, plus one full disk, one freeze and one stop. */
export function planActs({ kills, durationMs, smallDisk, random }: PlanOptions): PlannedAct[] {
  const share = durationMs / Math.max(kills, 1);
  const planned = Array.from({ length: kills }, (_, at): PlannedAct => {
    const act = kinds[at % kinds.length] ?? "browser";
    return { act, atMs: share * (at + random()) };
  });
  for (const kill of planned) if (kill.act === "service") kill.atMs *= restartsUntil;
  planned.push({ act: "stop", atMs: durationMs * restartsUntil * random() });
  planned.push({ act: "freeze", atMs: durationMs * (0.2 + 0.6 * random()) });
  if (smallDisk) planned.push({ act: "disk", atMs: durationMs * (0.3 + 0.5 * random()) });
  return planned.sort((one, other) => one.atMs - other.atMs);
}
