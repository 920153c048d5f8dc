/** What travels over a MessagePort: JSON-RPC calls and replies, and notices that nobody answers. */
import { MessagePort } from "node:worker_threads";
import type { JsonRpcRequest, JsonRpcResponse } from "typed-rpc";
import type { FaultRecord } from "../../protocol/faults.ts";

/** The JSON-RPC error code of every fault; the fault itself is in `data`. */
export const faultCode = -32000;

export interface CallMessage {
  call: JsonRpcRequest;
}
export interface ReplyMessage {
  reply: JsonRpcResponse;
}
export interface NoticeMessage {
  notice: Notice;
}
export type WireMessage = CallMessage | ReplyMessage | NoticeMessage;

/** The kernel's own notices, and those of actors. */
export type Notice =
  | { kind: "ready" }
  | { kind: "start-failed"; fault: FaultRecord }
  /** To a thread: a port to another actor that it may call. */
  | { kind: "peer"; name: string; port: MessagePort }
  /** To a thread: another actor could not be started; calls to it are refused until there is a port again. */
  | { kind: "peer-down"; name: string; fault: FaultRecord }
  /** To a thread: a port that another actor will call it on. */
  | { kind: "caller"; port: MessagePort }
  | { kind: "actor"; body: object };

/** What ports and workers have in common. */
export interface PortLike {
  postMessage(message: unknown, transfer?: readonly (ArrayBuffer | MessagePort)[]): void;
  on(event: "message", listener: (message: WireMessage) => void): unknown;
  on(event: "close" | "exit", listener: () => void): unknown;
  off(event: "message", listener: (message: WireMessage) => void): unknown;
}

/** Ports and whole buffers among the fields of a value move instead of being copied. */
export function transferOf(value: unknown): (ArrayBuffer | MessagePort)[] {
  if (typeof value !== "object" || value === null) return [];
  const moved: (ArrayBuffer | MessagePort)[] = [];
  for (const field of Object.values(value)) {
    if (field instanceof MessagePort) moved.push(field);
    // A Buffer is often a slice of a shared slab; only an array that owns its memory may leave with it.
    else if (field instanceof Uint8Array && field.byteLength === field.buffer.byteLength) {
      if (field.buffer instanceof ArrayBuffer) moved.push(field.buffer);
    }
  }
  return moved;
}
