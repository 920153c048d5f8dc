/** The runner's end of the pipe to its owner: control messages and the CDP transport of the library. */
import net from "node:net";
import { limits } from "../../protocol/limits.ts";
import { createInlet } from "./inlet.ts";
import { exitCodes, type OwnerMessage, type RunnerMessage } from "./messages.ts";
import { encodePacket, PacketReader, untilTurnEnds } from "./packets.ts";

export interface Channel {
  send(message: RunnerMessage): void;
  sendCdp(text: string): void;
  /** At most one listener each. Messages queue until it is set. */
  onMessage(listener: (message: OwnerMessage) => void): void;
  onCdp(listener: (text: string) => void): void;
}

/** Opens fd 3. The process ends when the other end closes, because its owner is gone. */
export function openChannel(): Channel {
  const socket = new net.Socket({ fd: 3, readable: true, writable: true });
  const messages = createInlet<OwnerMessage>();
  const cdp = createInlet<string>();
  const reader = new PacketReader(limits.scriptIpcMessageBytesMax, (kind, text) => {
    if (kind === "cdp") cdp.put(text);
    else messages.put(JSON.parse(text));
  });
  const leave = () => process.exit(exitCodes.ownerGone);
  socket.on("data", (chunk: Buffer) => reader.push(chunk));
  socket.on("close", leave);
  socket.on("error", leave);
  return {
    send: (message) => {
      socket.write(encodePacket("control", JSON.stringify(message)));
      // Write at once: the script may end its process on the next line.
      if (socket.writableCorked > 0) socket.uncork();
    },
    sendCdp: (text) => {
      untilTurnEnds(socket);
      socket.write(encodePacket("cdp", text));
    },
    onMessage: messages.take,
    onCdp: cdp.take,
  };
}
