/** Writes a reply that is not JSON, such as a picture, to a file or to an output that is not a terminal. */
import { open, rm } from "node:fs/promises";
import { extname } from "node:path";
import type { Command } from "commander";
import { systemFault } from "../../protocol/disk-fault.ts";
import type { Api, Operation } from "./api.ts";
import { newFileRefusal } from "./new-file.ts";
import { say, streams, WrongUsage } from "./output.ts";

export function addOutputFlag(command: Command): void {
  command.option("-o, --output <file>", "write the reply to this new file, - for stdout");
}

/** Throws `WrongUsage` before the call when there is no place for the bytes. */
export async function receiveFile(
  api: Api,
  operation: Operation,
  { output, json }: Record<string, unknown>,
  { isText, mayBeJson }: { isText: boolean; mayBeJson: boolean },
): Promise<void> {
  const file = typeof output === "string" && output !== "-" ? output : null;
  if (file === null && json === true && mayBeJson) return sayJson(await api.receive(operation));
  if (file === null && json === true)
    throw new WrongUsage("--json needs -o FILE: the reply itself is not JSON");
  if (file === null && !isText && output !== "-" && streams.out.isTTY === true) {
    throw new WrongUsage("the reply is bytes, which a terminal cannot show; give a file with -o FILE");
  }
  if (file === null) {
    streams.out.write((await api.receive(operation)).bytes);
    return;
  }
  const { type, bytes } = await intoNewFile(file, () => api.receive(operation));
  const written = { file, type, bytes: bytes.length };
  say(json === true ? JSON.stringify(written) : `${file}: ${type}, ${bytes.length} bytes`);
}

function sayJson({ type, bytes }: { type: string; bytes: Uint8Array }): void {
  if (!type.startsWith("application/json"))
    throw new WrongUsage(`--json needs -o FILE: the reply is ${type}`);
  say(Buffer.from(bytes).toString("utf8"));
}

/** The types of pictures that a file's name stands for. A kept file is bytes, whatever it is. */
const typesByEnding: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
};

/** Creates the file before the call, so that an unwritable path fails first. Removes it after a failure. */
async function intoNewFile(file: string, receive: () => ReturnType<Api["receive"]>) {
  const made = await open(file, "wx").catch((error: unknown) => {
    throw newFileRefusal(error, file, "-o");
  });
  try {
    const received = await receive();
    const promised = typesByEnding[extname(file).toLowerCase()];
    if (promised !== undefined && received.type.startsWith("image/") && promised !== received.type)
      throw new WrongUsage(
        `${file} names ${promised}, and the reply is ${received.type}; give --format ${promised.slice("image/".length)}, or another name with -o`,
      );
    await made.writeFile(received.bytes);
    return received;
  } catch (error) {
    await rm(file, { force: true });
    throw systemFault(error, file);
  } finally {
    await made.close();
  }
}
