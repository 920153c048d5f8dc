/** Creates profiles: samples devices and measures exits in parallel, then stores all in one transaction. */
import { Fault } from "../../protocol/faults.ts";
import type { NewProfiles } from "../../protocol/messages/library.ts";
import type { WantedProfiles } from "../../protocol/messages/operations.ts";
import {
  type NewProfilesPool,
  type ProxyToMeasure,
  proxySlotsTaken,
} from "../../protocol/messages/proxies.ts";
import { addressOf } from "../../protocol/proxies.ts";
import type { CreateProfilesReply } from "../../protocol/requests.ts";
import { machineZone } from "../kernel/machine-zone.ts";
import type { OperationsContext } from "./context.ts";
import { measured } from "./measured.ts";

/** Other calls may take the measured proxies: measures again as often as one token may call in a minute. */
const measureRoundsMax = 30;
const namedMax = 5;

/** See protocol/README.md, "Create profiles". Throws `not-found`, `invalid`, `forbidden`, `conflict` as the library does. */
export async function createProfiles(
  context: OperationsContext,
  { count, os: wantedOs, proxyPoolId, ...named }: WantedProfiles,
): Promise<CreateProfilesReply> {
  const { library, tasks, host } = context;
  const os = wantedOs ?? host.os;
  const sample = async () => {
    const { keys } = await library.takenDevices({ os });
    return tasks.sampleDevices({ os, count, host, taken: keys });
  };
  const way = proxyPoolId === undefined ? null : wayOut(context, proxyPoolId, count);
  const [{ devices }] = await Promise.all([sample(), way?.measureNext()]);
  const wanted: NewProfiles = { ...named, os, timezone: machineZone(), languages: [], devices };
  if (way === null) return library.createProfiles(wanted);
  for (let round = 1; ; round += 1) {
    try {
      const reply = await library.createProfiles({ ...wanted, proxyPool: way.pool() });
      return { ...reply, ...way.warnings(reply) };
    } catch (error) {
      const taken = error instanceof Fault && error.detail?.code === proxySlotsTaken;
      if (!taken || round === measureRoundsMax) throw error;
      await way.measureNext();
    }
  }
}

type Warnings = Pick<CreateProfilesReply, "location_warning" | "timezone_warning">;

function wayOut(context: OperationsContext, poolId: string, count: number) {
  const known = new Map<number, ProxyToMeasure>();
  const pool: NewProfilesPool = { poolId, measured: [] };
  return {
    pool: () => pool,
    async measureNext() {
      const { proxies, sources } = await context.library.proxiesForNew({ poolId, count });
      const fresh = proxies.filter((proxy) => !known.has(proxy.slot));
      for (const proxy of fresh) known.set(proxy.slot, proxy);
      pool.measured.push(...(await measured(context, fresh, sources)));
    },
    warnings: (reply: CreateProfilesReply) => warningsOf(reply, known, pool),
  };
}

function warningsOf(
  { created }: CreateProfilesReply,
  known: ReadonlyMap<number, ProxyToMeasure>,
  { measured }: NewProfilesPool,
): Warnings {
  const used = new Set(created.map((profile) => profile.proxy_slot));
  const exits = measured
    .filter(({ slot }) => used.has(slot))
    .map(({ slot, measurement }) => {
      const before = known.get(slot);
      const exit = measurement.exit ?? before?.exit ?? null;
      const address = before === undefined ? "" : addressOf(before.upstream);
      const why = measurement.error ?? "the echo services and the geo file do not say";
      return { exit, stale: measurement.exit === null, says: `slot ${slot} (${address}): ${why}` };
    });
  const without = (part: "country" | "timezone") => exits.filter(({ exit }) => exit?.[part] == null);
  const stale = exits.filter(({ exit, stale }) => stale && exit !== null);
  const location = [
    ...sentence("the location could not be measured, so the host's languages are used", without("country")),
    ...sentence("the measurement failed, so the result of an earlier one is used", stale),
  ];
  const timezone = sentence(
    `the timezone could not be measured, so the host's timezone ${machineZone()} is used`,
    without("timezone"),
  );
  return {
    ...(location.length === 0 ? {} : { location_warning: location.join(" ") }),
    ...(timezone.length === 0 ? {} : { timezone_warning: timezone.join(" ") }),
  };
}

function sentence(what: string, proxies: { says: string }[]): string[] {
  if (proxies.length === 0) return [];
  const named = proxies.slice(0, namedMax).map((proxy) => proxy.says);
  const more = proxies.length > namedMax ? `; and ${proxies.length - namedMax} more` : "";
  return [`For ${proxies.length} of the proxies ${what}: ${named.join("; ")}${more}.`];
}
