/** `troupe trace`: the DevTools traffic of one running profile in a file, until Ctrl-C. */
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import { systemFault } from "../../protocol/disk-fault.ts";
import { faultRecord } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { CdpTraceTail } from "../../protocol/messages/profile.ts";
import { openApi } from "./api.ts";
import { type CommonFlags, write } from "./commands.ts";
import { profileIdOf } from "./ids-by-name.ts";
import { newFileRefusal } from "./new-file.ts";
import { tell } from "./output.ts";
import { dataDirOf, runningService } from "./reach.ts";

export interface TraceFlags extends CommonFlags {
  output: string;
  seconds?: number;
}

/** Short, so that Ctrl-C ends the command soon. */
const pollMs = 500;

/** Throws `conflict` (no service, the profile does not run, the file exists). */
export async function trace(
  named: string,
  flags: TraceFlags,
  bytesMax = limits.cdpTraceFileBytesMax,
): Promise<void> {
  // The directory is named, so that no variable of the environment leads to another service.
  const profileId = await profileIdOf(openApi({ data: dataDirOf(flags) }), named);
  const service = runningService(flags);
  const read = (after: number, waitMs: number) => service.traceProfile({ profileId, after, waitMs });
  const first = await read(0, 0);
  const path = resolve(flags.output);
  const stop = stopOnSignal();
  const file = await open(path, "wx", 0o600).catch((error: unknown) => {
    throw newFileRefusal(error, path, "-o");
  });
  if (flags.json !== true) tell(`tracing into ${path}; Ctrl-C ends it`);
  try {
    const endsAt = flags.seconds === undefined ? null : performance.now() + flags.seconds * 1_000;
    const over = () =>
      stop.asked()
        ? "a signal ended it"
        : endsAt !== null && performance.now() >= endsAt
          ? `its ${flags.seconds} s have passed`
          : null;
    const made = await follow({ file, read, first, over, bytesMax });
    write(flags, { file: path, ...made }, () => `${made.messages} messages in ${path}; ${made.end}`);
  } catch (error) {
    throw systemFault(error, path);
  } finally {
    stop.forget();
    await file.close();
  }
}

interface Following {
  file: Pick<FileHandle, "appendFile">;
  read(after: number, waitMs: number): Promise<CdpTraceTail>;
  first: CdpTraceTail;
  /** Why it is over; null while it is not. */
  over(): string | null;
  bytesMax: number;
}

interface Made {
  messages: number;
  missing: number;
  bytes: number;
  end: string;
}

/** The last line says why the trace ended. */
async function follow({ file, read, first, over, bytesMax }: Following): Promise<Made> {
  const made: Made = { messages: 0, missing: 0, bytes: 0, end: "" };
  const add = async (text: string) => {
    await file.appendFile(text);
    made.bytes += Buffer.byteLength(text);
  };
  const noted = (note: object) => `${JSON.stringify({ at: new Date().toISOString(), ...note })}\n`;
  const take = async ({ lines, count }: CdpTraceTail, after: number): Promise<boolean> => {
    const missing = count - after - lines.length;
    made.missing += missing;
    if (missing > 0) await add(noted({ missing, why: "more traffic than could be read" }));
    let text = "";
    for (const line of lines) {
      if (made.bytes + Buffer.byteLength(text) + Buffer.byteLength(line) > bytesMax) {
        await add(text);
        return false;
      }
      text += `${line}\n`;
      made.messages += 1;
    }
    if (text !== "") await add(text);
    return true;
  };
  made.end = await (async () => {
    // Another trace of this browser may have begun before.
    if (!(await take(first, first.count - first.lines.length))) return fullText(bytesMax);
    for (let after = first.count; ; ) {
      const end = over();
      if (end !== null) return end;
      const tail = await read(after, pollMs).catch((error: unknown) => faultRecord(error));
      if ("kind" in tail) return tail.message;
      if (!(await take(tail, after))) return fullText(bytesMax);
      after = tail.count;
    }
  })();
  await add(noted({ end: made.end }));
  return made;
}

const fullText = (bytesMax: number) =>
  `the file reached its limit of ${Math.round(bytesMax / 1024 ** 2)} MiB`;

function stopOnSignal(): { asked(): boolean; forget(): void } {
  let asked = false;
  const onSignal = () => {
    asked = true;
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, onSignal);
  return {
    asked: () => asked,
    forget() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
