/** Follows the service workers that clients are attached to, and detaches clients from one: to them, the target has closed. */
import { createDeferred } from "../../kernel/deferred.ts";
import type { ClientMessage } from "../cdp/pipe-clients.ts";

export interface ClientWire {
  /** Its only target; null for the browser. */
  targetId: string | null;
  /** Sends our command on the client's session. */
  put(message: ClientMessage): void;
  close(): void;
  settled(): Promise<void>;
}

export interface FollowedClient {
  /** Takes a message of the browser; true when it is a reply to us and must not reach the client. */
  receive(text: string): boolean;
  end(): void;
}

export interface ClientWorkers {
  follow(wire: ClientWire): FollowedClient;
  /** Detaches all clients of this worker. */
  detach(targetId: string): Detached;
  /** Called before a client's command to stop service workers passes. */
  toStop(command: ClientCommand): void;
  onToStop(listener: (command: ClientCommand) => void): void;
}

export interface Detached {
  /** Resolves when the clients are detached. */
  done: Promise<unknown>;
  /** Attaches the clients again, when the worker goes on running. */
  attachAgain(): void;
}

export interface ClientCommand {
  method?: unknown;
  params?: unknown;
}

/** An id range that clients do not use; Chromium accepts any 32-bit integer. */
const firstId = -1_947_000_000;
const answer = '{"id":-1947';
const attached = '{"method":"Target.attachedToTarget"';
const crashed = '{"method":"Inspector.targetCrashed"';
const detached = '{"method":"Target.detachedFromTarget"';
const serviceWorker = '"service_worker"';

interface BrowserMessage {
  id?: number;
  params?: { sessionId: string; targetInfo?: { targetId: string; type: string } };
  sessionId?: string;
}

export function clientWorkers(): ClientWorkers {
  const clients = new Set<ReturnType<typeof followed>>();
  let toStop = (_command: ClientCommand) => {};
  return {
    toStop: (command) => toStop(command),
    onToStop(listener) {
      toStop = listener;
    },
    follow(wire) {
      const client = followed(wire, () => clients.delete(client));
      clients.add(client);
      return client;
    },
    detach(targetId) {
      const each = [...clients].map((client) => client.detach(targetId));
      return {
        done: Promise.all(each.map(({ done }) => done)),
        attachAgain() {
          for (const { attachAgain } of each) attachAgain();
        },
      };
    },
  };
}

function followed({ targetId: ownTarget, put, close, settled }: ClientWire, onEnd: () => void) {
  const workers = new Map<string, { targetId: string; parent: string | undefined }>();
  /** Sessions of crashed targets, which Playwright no longer reads. */
  const unread = new Set<string>();
  const asked = new Map<number, () => void>();
  let lastId = firstId;
  const ended = createDeferred<void>();
  const ask = (method: string, params: object, sessionId: string | undefined): Promise<void> => {
    lastId -= 1;
    const id = lastId;
    const done = new Promise<void>((resolve) => asked.set(id, resolve));
    put({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) });
    return Promise.race([done, ended.promise]);
  };
  const say = (...command: Parameters<typeof ask>): void => {
    ask(...command).catch(() => {});
  };
  const detachSession = (sessionId: string, parent: string | undefined) =>
    ask("Target.detachFromTarget", { sessionId }, parent);
  /** All of a client's sessions must resume a paused worker. This does it for those that the client no longer reads. */
  const resume = async (sessionId: string, parent: string) => {
    await settled();
    say("Runtime.runIfWaitingForDebugger", {}, sessionId);
    await detachSession(sessionId, parent);
  };
  const onAttached = ({ params, sessionId: parent }: BrowserMessage) => {
    if (params?.targetInfo?.type !== "service_worker") return;
    workers.set(params.sessionId, { targetId: params.targetInfo.targetId, parent });
    if (parent !== undefined && unread.has(parent)) resume(params.sessionId, parent).catch(() => {}); // The browser has ended.
  };
  return {
    receive(text: string): boolean {
      if (text.startsWith(answer)) {
        const { id = 0 } = read(text);
        asked.get(id)?.();
        return asked.delete(id);
      }
      if (text.startsWith(attached)) {
        if (text.includes(serviceWorker)) onAttached(read(text));
      } else if (text.startsWith(detached)) workers.delete(read(text).params?.sessionId ?? "");
      else if (text.startsWith(crashed)) unread.add(read(text).sessionId ?? "");
      return false;
    },
    end() {
      ended.resolve();
      onEnd();
    },
    detach(targetId: string): Detached {
      if (ownTarget === targetId) {
        close();
        return { done: ended.promise, attachAgain: () => {} };
      }
      const own = [...workers].filter(([, worker]) => worker.targetId === targetId);
      return {
        done: Promise.all(own.map(([sessionId, { parent }]) => detachSession(sessionId, parent))),
        attachAgain() {
          for (const [, { parent }] of own) say("Target.attachToTarget", { targetId, flatten: true }, parent);
        },
      };
    },
  };
}

function read(text: string): BrowserMessage {
  return JSON.parse(text) as BrowserMessage; // The shape is the protocol's.
}
