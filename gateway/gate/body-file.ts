/** Writes the body of a request to a temporary file, within a limit. */
import { randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { systemFault } from "../../protocol/disk-fault.ts";
import { Fault } from "../../protocol/faults.ts";

/** Returns the new file, mode 0600. Throws `too-large`, `invalid` (the body ended early), `internal` (disk error), and leaves no file. */
export async function bodyFile(request: IncomingMessage, tempDir: string, bytesMax: number): Promise<string> {
  const tooLarge = () => new Fault("too-large", `the body may be at most ${bytesMax} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) throw tooLarge();
  const path = join(tempDir, randomUUID());
  try {
    const file = await open(path, "wx", 0o600);
    try {
      let bytes = 0;
      // Without `destroyOnReturn: false` a refusal would end the connection before it is answered.
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length;
        if (bytes > bytesMax) throw tooLarge();
        await file.writeFile(chunk);
      }
      if (!request.complete) throw new Fault("invalid", "the body ended early");
    } finally {
      await file.close();
    }
    return path;
  } catch (error) {
    await rm(path, { force: true });
    if (error instanceof Error && "code" in error && error.code === "ECONNRESET")
      throw new Fault("invalid", "the body ended early");
    throw systemFault(error, path);
  }
}
