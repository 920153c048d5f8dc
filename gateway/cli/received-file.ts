/** Where a command's reply goes that is bytes, such as a picture: a file, or an output that is no terminal. */
import { writeFile } from "node:fs/promises";
import type { Command } from "commander";
import type { Api, Operation } from "./api.ts";
import { say, streams, WrongUsage } from "./output.ts";

export function addOutputFlag(command: Command): void {
  command.option("-o, --output <file>", "write the reply to this file, - for stdout");
}

/** Throws `WrongUsage` before the call when there is no place for the bytes. */
export async function receiveFile(
  api: Api,
  operation: Operation,
  { output, json }: Record<string, unknown>,
): Promise<void> {
  const file = typeof output === "string" && output !== "-" ? output : null;
  if (file === null && json === true)
    throw new WrongUsage("--json needs -o FILE: the reply itself is not JSON");
  if (file === null && output !== "-" && streams.out.isTTY === true) {
    throw new WrongUsage("the reply is bytes, which a terminal cannot show; give a file with -o FILE");
  }
  const { type, bytes } = await api.receive(operation);
  if (file === null) {
    streams.out.write(bytes);
    return;
  }
  await writeFile(file, bytes).catch((error: unknown) => {
    throw new WrongUsage(`-o: ${error instanceof Error ? error.message : error}`);
  });
  const written = { file, type, bytes: bytes.length };
  say(json === true ? JSON.stringify(written) : `${file}: ${type}, ${bytes.length} bytes`);
}
