/** Collects the garbage of all threads of a process through its inspector, because only what is left after that can be a leak. */
import { WebSocket } from "ws";
import { createDeferred } from "../../actors/kernel/deferred.ts";

/** For the environment of the process: its inspector listens on any free port, because the service opens none on a signal. */
export const inspectable = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** A first collection only starts finalizers, whose objects the second one frees. */
const rounds = 2;

interface Message {
  id?: number;
  method?: string;
  params?: { sessionId: string; message: string };
}

/** `stderr`: what the process has written since its start, which contains the inspector's address. */
export async function collectGarbage(stderr: string): Promise<void> {
  const address = /ws:\/\/127\.0\.0\.1:\d+\/\S+/.exec(stderr)?.[0];
  if (address === undefined) throw new Error(`the service has no inspector: ${stderr}`);
  const socket = new WebSocket(address);
  const workers: string[] = [];
  const calls = new Map<number, () => void>();
  let calledWith = 0;
  const call = async (method: string, params: object = {}, send = (text: string) => socket.send(text)) => {
    calledWith += 1;
    const { promise, resolve } = createDeferred<void>();
    calls.set(calledWith, resolve);
    send(JSON.stringify({ id: calledWith, method, params }));
    await promise;
  };
  const take = (text: string) => {
    const { id, method, params }: Message = JSON.parse(text);
    if (id !== undefined) calls.get(id)?.();
    else if (params !== undefined && method === "NodeWorker.attachedToWorker") workers.push(params.sessionId);
    else if (params !== undefined && method === "NodeWorker.receivedMessageFromWorker") take(params.message);
  };
  socket.on("message", (data) => take(String(data)));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  await call("NodeWorker.enable", { waitForDebuggerOnStart: false });
  const collect = "HeapProfiler.collectGarbage";
  for (let round = 0; round < rounds; round += 1) {
    await call(collect);
    for (const sessionId of workers)
      await call(
        collect,
        {},
        (message) => void call("NodeWorker.sendMessageToWorker", { sessionId, message }),
      );
  }
  await call("NodeWorker.disable");
  socket.close();
  await new Promise((resolve) => socket.once("close", resolve));
}
