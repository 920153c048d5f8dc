/** An actor thread as its owner sees it: start, calls, notices, end. */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { Fault, faultFrom, faultRecord } from "../../protocol/faults.ts";
import type { Deadlines } from "../../protocol/messages/deadlines.ts";
import { withDeadline } from "./deadline.ts";
import { type ThreadName, threadEntry } from "./entries.ts";
import type { Log } from "./log.ts";
import { startErrorText } from "./process-group.ts";
import { createRemote } from "./remote.ts";
import { followTrail } from "./trail.ts";
import type { Notice, PortLike, WireMessage } from "./wire.ts";

export interface ActorThread<Api> {
  api: Api;
  /** Resolves when the thread serves calls; rejects with the fault of its start. */
  ready: Promise<void>;
  /** Resolves with the exit code when the thread has ended, for any reason. */
  exited: Promise<number>;
  callerPort(): MessagePort;
  givePeer(name: string, port: MessagePort): void;
  peerDown(name: string, fault: Fault): void;
  /** Ends the thread at once. False when it does not end, because it is stuck in a system call. */
  terminate(): Promise<boolean>;
}

/** A thread that has not ended after this is stuck; a busy machine needs seconds to end one. */
const stuckMs = 10_000;

/** Starts the thread of an actor. Early calls queue in its port. `onNotice` receives what the actor passes to `context.notify`. */
export function startThread<Api extends object>(
  name: ThreadName,
  config: unknown,
  options: {
    log: Log;
    deadlines?: Deadlines<Api>;
    onNotice?: (body: object) => void;
    /** Gets what the thread writes to stderr, instead of this process's stderr. */
    onStderr?: ((text: string) => void) | undefined;
    entry?: string;
  },
): ActorThread<Api> {
  const { start, entry } = threadEntry(name, options.entry);
  const { onStderr } = options;
  const stderr = onStderr !== undefined;
  const data = { entry, name, config };
  // Without a trail: otherwise the thread's messages would carry the trail of the call that started it.
  // execArgv: do not inherit the flags of a test runner; threads from source register tsx themselves.
  // The bridge to a proxy passes headers as large as Chromium sends and takes.
  const worker = followTrail(
    undefined,
    () => new Worker(start, { name, workerData: data, execArgv: ["--max-http-header-size=262144"], stderr }),
  );
  if (stderr) worker.stderr.setEncoding("utf8").on("data", onStderr);
  const remote = createRemote<Api>(
    name,
    options.deadlines === undefined ? {} : { deadlines: options.deadlines },
  );
  remote.attach(worker as PortLike);

  const ready = new Promise<void>((resolve, reject) => {
    worker.on("message", (message: WireMessage) => {
      if (!("notice" in message)) return;
      if (message.notice.kind === "ready") resolve();
      else if (message.notice.kind === "start-failed") reject(faultFrom(message.notice.fault));
      else if (message.notice.kind === "actor") options.onNotice?.(message.notice.body);
    });
    worker.on("error", (error) =>
      reject(new Fault("internal", `the ${name} thread died: ${startErrorText(error)}`)),
    );
    worker.on("exit", (code) => reject(new Fault("internal", `the ${name} thread ended with code ${code}`)));
  });
  ready.catch(() => {}); // Optional to await: without this, a failed start would be an unhandled rejection.
  worker.on("error", (error) => options.log.error(`the ${name} thread died`, { error }));
  const exited = new Promise<number>((resolve) => {
    worker.on("exit", (code) => {
      remote.detach(new Fault("internal", `the ${name} thread ended`), "refused");
      resolve(code);
    });
  });
  const tell = (notice: Notice, port: MessagePort) => worker.postMessage({ notice }, [port]);

  return {
    api: remote.api,
    ready,
    exited,
    callerPort() {
      const { port1, port2 } = new MessageChannel();
      tell({ kind: "caller", port: port2 }, port2);
      return port1;
    },
    givePeer(peerName, port) {
      tell({ kind: "peer", name: peerName, port }, port);
    },
    peerDown(peerName, fault) {
      worker.postMessage({ notice: { kind: "peer-down", name: peerName, fault: faultRecord(fault) } });
    },
    async terminate() {
      const ended = worker.terminate().then(() => true);
      return withDeadline(ended, stuckMs, `the end of the ${name} thread`).catch(() => false);
    },
  };
}
