/** Sends events to webhooks: at least once, in order per subject, repeated for a day (protocol/README.md, "Webhooks"). */
import { eventsAfter, lostBefore, type ServiceEvent, type StoredEvent } from "../../protocol/events.ts";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { WebhookTarget } from "../../protocol/messages/webhooks.ts";
import type { WebhookAnswer } from "../../protocol/webhooks.ts";
import { inBackground } from "../kernel/background.ts";
import type { Timer } from "../kernel/clock.ts";
import { insist } from "../kernel/insist.ts";
import type { OperationsContext } from "./context.ts";
import { createWebhookQueue, type WebhookQueue } from "./webhook-queue.ts";
import { type AttemptRules, attemptDelivery, leadsToOwn } from "./webhook-request.ts";

type WebhooksContext = Pick<OperationsContext, "library" | "pool" | "log" | "clock" | "ownPorts">;

export interface Webhooks extends Pick<OperationsApi, "createWebhook" | "deleteWebhook" | "ownPorts"> {
  /** Starts sending to the stored webhooks. */
  begin(): Promise<void>;
}

/** Attempts for one receiver at a time. */
const lanes = 4;
const savedAfterMs = 1_000;
const batchMax = 1_000;

/** One webhook that is being served. */
interface Sender {
  end(): void;
}

/** `answerMs`: for tests. */
export function createWebhooks(
  context: WebhooksContext,
  answerMs: number = limits.webhookAnswerMs,
): Webhooks {
  const { library, pool, log } = context;
  const senders = new Map<string, Sender>();
  let ownPorts = context.ownPorts;

  const refusedPorts = async () => {
    const live = await pool.live({});
    return [...ownPorts, ...live.flatMap(({ cdpUrl }) => (cdpUrl ? [Number(new URL(cdpUrl).port)] : []))];
  };
  const serve = (target: WebhookTarget) => {
    if (!senders.has(target.id))
      senders.set(target.id, startSender(context, target, { refusedPorts, answerMs }));
  };
  const begin = async () => {
    const targets = await insist(context, "reading the webhooks", () => library.webhookTargets({}));
    for (const target of targets ?? []) serve(target);
  };
  return {
    begin,
    async createWebhook({ url, types }) {
      const isOwn =
        URL.canParse(url) && (await leadsToOwn(new URL(url), await refusedPorts()).catch(() => false));
      if (isOwn)
        throw new Fault("invalid", `url must not lead to the service itself, got port ${new URL(url).port}`);
      const newest = (await library.events({ after: null, limit: 1 })).at(-1)?.id ?? 0;
      const reply = await library.addWebhook({ url, types, after: newest });
      serve({ id: reply.webhook_id, url, types, secret: reply.secret, after: newest });
      return reply;
    },
    async deleteWebhook({ webhookId }) {
      await library.removeWebhook({ webhookId });
      senders.get(webhookId.toLowerCase())?.end();
      senders.delete(webhookId.toLowerCase());
      log.info("a webhook was removed", { webhook: webhookId });
      return null;
    },
    async ownPorts({ ports }) {
      ownPorts = ports;
      return null;
    },
  };
}

function startSender(context: WebhooksContext, target: WebhookTarget, rules: AttemptRules): Sender {
  const { library, log, clock } = context;
  const what = `webhook ${target.id}`;
  const queue = createWebhookQueue(() => clock.now(), target.after);
  const timers = new Set<Timer>();
  let read = target.after;
  let over = false;
  let sending = 0;
  let pausedUntil = 0;
  let last: WebhookAnswer | null = null;
  let saved: Timer | null = null;

  const later = (ms: number, act: () => void) => {
    const timer = clock.timer(ms, () => {
      timers.delete(timer);
      if (!over) act();
    });
    timers.add(timer);
    return timer;
  };
  const save = () => {
    saved = null;
    const state = { webhookId: target.id, after: queue.ended(), last };
    inBackground(log, `saving the state of ${what}`, library.webhookSent(state));
  };
  const changed = () => {
    if (saved === null) saved = later(savedAfterMs, save);
  };
  const attempt = async ({ event, delivered, failed }: NonNullable<ReturnType<WebhookQueue["next"]>>) => {
    const now = clock.now();
    const { pauseMs = 0, ...answer } = await attemptDelivery(target, event, clock, rules);
    if (over) return;
    last = { at: new Date(now).toISOString(), ...answer };
    if (pauseMs > 0) {
      pausedUntil = Math.max(pausedUntil, clock.now() + pauseMs);
      later(pauseMs, pump);
    }
    if (answer.error === undefined) delivered();
    else {
      const result = failed();
      if (result === "dropped") log.warn(`${what}: an event was given up`, { event: event.id, ...answer });
      else
        later(result.againMs, () => {
          queue.again(event);
          pump();
        });
    }
    changed();
  };
  const pump = () => {
    while (!over && sending < lanes && clock.now() >= pausedUntil) {
      const next = queue.next();
      if (next === null) return;
      sending += 1;
      const done = attempt(next).finally(() => {
        sending -= 1;
        pump();
      });
      inBackground(log, what, done);
    }
  };
  const pause = (ms: number) => new Promise<void>((resolve) => clock.timer(ms, resolve));
  const take = (events: readonly StoredEvent[]) => {
    for (const event of events) if (wants(target, event.event)) queue.add(event);
    read = events.at(-1)?.id ?? read;
    queue.read(read);
    if (events.length > 0) changed();
    pump();
  };
  async function follow(): Promise<void> {
    const events = (after: number | null, limit: number) =>
      insist(context, `${what}: reading events`, () => library.events({ after, limit }));
    for (let full = true; !over; ) {
      const found = full ? await events(null, limits.eventsKeptMax) : await events(read, batchMax);
      if (over || found === null) return;
      const lost = full ? lostBefore(found, read) : 0;
      if (lost > 0) log.warn(`${what}: events were lost`, { count: lost });
      take(full ? eventsAfter(found, read) : found);
      if (!full && found.length === 0) await pause(savedAfterMs); // The library closes.
      full = queue.waiting() > limits.webhookWaitingMax;
      while (!over && queue.waiting() > limits.webhookWaitingMax) await pause(savedAfterMs);
    }
  }
  inBackground(log, what, follow());
  return {
    end() {
      over = true;
      for (const timer of timers) timer.cancel();
    },
  };
}

function wants({ types }: WebhookTarget, { type }: ServiceEvent): boolean {
  return types === null || types.includes(type);
}
