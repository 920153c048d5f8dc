/** The process to kill: the library over a crash disk, which answers calls that arrive as messages. */
import { systemClock } from "../../actors/kernel/clock.ts";
import { createLibrary } from "../../actors/library/library.ts";
import { faultRecord } from "../../protocol/faults.ts";
import { crashDisk } from "./crash-disk.ts";
import { integrityOf } from "./integrity.ts";

export interface HostCall {
  id: number;
  method: string;
  input: unknown;
}
export type HostReply = { id: number; value: unknown } | { id: number; fault: unknown };

const [dataDir = "", betrayal = "none"] = process.argv.slice(2);
const reply = (message: object) => void process.send?.(message);

const begun = performance.now();
const cpuBegun = process.cpuUsage();
try {
  const library = await createLibrary({
    dataDir,
    clock: systemClock,
    disk: crashDisk(
      betrayal === "answers-before-sync" || betrayal === "forgets-journals" ? betrayal : "none",
    ),
    journalBytesMin: 24 * 1024, // Small, so that every round takes snapshots.
  });
  const calls = new Map<string, unknown>(
    Object.entries({ ...library, integrity: () => library.look(integrityOf) }),
  );
  process.on("message", ({ id, method, input }: HostCall) => {
    const call = calls.get(method);
    if (typeof call !== "function") throw new Error(`no method ${method}`);
    Promise.resolve(call(input)).then(
      (value: unknown) => reply({ id, value }),
      (error: unknown) => reply({ id, fault: faultRecord(error) }),
    );
  });
  const { user, system } = process.cpuUsage(cpuBegun);
  reply({ ready: true, opening: { wallMs: performance.now() - begun, cpuMs: (user + system) / 1000 } });
} catch (error) {
  reply({ failed: faultRecord(error) });
  process.disconnect?.();
}
