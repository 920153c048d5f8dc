/** Proxy allotments for new profiles: a slot of a pool, and the time zone and languages of its exit. */
import { Fault } from "../../protocol/faults.ts";
import type { NewProfiles } from "../../protocol/messages/library.ts";
import { proxySlotsTaken } from "../../protocol/messages/proxies.ts";
import type { Reader } from "../../storage/sqlite.ts";
import { noteProxyMeasured, readProxy, usesBySlot } from "../../storage/tables/proxy-pools.ts";
import type { Allotment } from "./allotment.ts";
import type { LibraryContext } from "./context.ts";
import { languagesOf } from "./country-languages.ts";
import { givePlace, poolForNew } from "./proxy-pools.ts";
import { nextSlots } from "./proxy-slots.ts";

/**
 * protocol/README.md, "Create profiles". Throws `not-found`, `invalid` (rotating pool), or `conflict` with `detail.code` if the next
 * slots are not the measured ones.
 */
export function proxyAllotment(_room: LibraryContext, sql: Reader, input: NewProfiles): Allotment | null {
  const { proxyPool } = input;
  if (proxyPool === undefined) return null;
  const pool = poolForNew(sql, proxyPool.poolId);
  const measured = new Map(proxyPool.measured.map(({ slot, measurement }) => [slot, measurement]));
  const uses = usesBySlot(sql, pool.id);
  const planned = nextSlots(uses, input.devices.length);
  if (planned.some((slot) => !measured.has(slot))) {
    throw new Fault(
      "conflict",
      `other profiles took proxies of the pool ${pool.id} in the meantime; try again`,
      {
        code: proxySlotsTaken,
      },
    );
  }
  return {
    offer(sql) {
      const [slot] = nextSlots(uses, 1);
      const proxy = slot === undefined ? null : readProxy(sql, pool.id, slot);
      if (proxy === null) throw new Fault("conflict", `the proxy pool ${pool.id} has no proxy`);
      const found = measured.get(proxy.slot);
      const exit = found?.exit ?? proxy.exit;
      const languages = languagesOf(exit?.country ?? null);
      return {
        profile: {
          ...(exit?.timezone == null ? {} : { timezone: exit.timezone }),
          ...(languages.length === 0 ? {} : { languages }),
        },
        reply: { proxy_slot: proxy.slot },
        settle(sql, profile) {
          givePlace(sql, pool, profile.id, proxy.slot);
          uses[proxy.slot] = (uses[proxy.slot] ?? 0) + 1;
          if (found !== undefined) noteProxyMeasured(sql, pool.id, proxy.slot, found);
        },
      };
    },
  };
}
