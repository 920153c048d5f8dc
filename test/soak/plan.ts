/** What is done to the service during a soak, and when: chosen by chance before it begins. */

/** `service`: killed and started again. `stop`: asked to end, and started again. `freeze`: a browser that stands still for a while. */
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
  /** Milliseconds from the start of the load. */
  atMs: number;
}

export interface PlanOptions {
  kills: number;
  durationMs: number;
  smallDisk: boolean;
  random(): number;
}

const kinds: readonly Act[] = ["browser", "renderer", "runner", "service", "gpu", "utility"];
/** In this part of the time the service is ended: the last process is the one that is looked at for what it has kept. */
const restartsUntil = 0.5;

/** Every kind of kill in turn, each at a moment of its own share of the time; the disk, a freeze and a stop come once besides. */
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
