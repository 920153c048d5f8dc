/** One pool: its proxies with their test results, current during a test. */
import { useState } from "preact/hooks";
import type { PoolProxy, ProxyPool } from "../../../../protocol/proxies.ts";
import { app } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { counted } from "../parts/counted.ts";
import { Pager } from "../parts/pager.tsx";
import { type Column, useSort } from "../parts/sort.ts";
import { type Head, Table } from "../parts/table.tsx";

const rowsShown = 100;
const none: PoolProxy[] = [];

export function PoolDetail({ pool, onAssign }: { pool: ProxyPool; onAssign(): void }) {
  const { value, error, reload } = useLive(["proxies", "profiles"], () =>
    app.listProxies({ poolId: pool.id }),
  );
  const [offset, setOffset] = useState(0);
  const proxies = value?.proxies ?? none;
  const { sorted, heads } = useSort(proxies, columns);
  const waiting = new Set(value?.waiting);
  const test = async () => {
    const ended = app.testProxies({ poolId: pool.id });
    reload(); // Shows the start of the test at once.
    await ended.finally(reload);
  };
  return (
    <>
      <p>
        <a href="#/proxies">All pools</a>
      </p>
      <div class="row ends">
        <h1>{pool.name}</h1>
        <div class="row">
          <button type="button" onClick={onAssign}>
            Assign to profiles
          </button>
          <button type="button" class="main" disabled={waiting.size > 0} onClick={() => void attempt(test)}>
            {waiting.size > 0 ? "Testing …" : "Test every proxy"}
          </button>
        </div>
      </div>
      <PoolFacts pool={pool} />
      {waiting.size === 0 ? null : (
        <div class="card">
          <progress aria-label="Proxies tested" max={proxies.length} value={proxies.length - waiting.size} />
          <span class="soft">{`${proxies.length - waiting.size} of ${proxies.length} tested`}</span>
        </div>
      )}
      {error === null ? null : <p class="bad">{error}</p>}
      <div class="card">
        <ProxyTable proxies={sorted.slice(offset, offset + rowsShown)} heads={heads} waiting={waiting} />
        <Pager offset={offset} limit={rowsShown} total={proxies.length} onOffset={setOffset} />
      </div>
    </>
  );
}

function PoolFacts({ pool }: { pool: ProxyPool }) {
  const untested = pool.entries - pool.alive - pool.dead;
  const facts = [
    pool.kind === "rotating" ? `rotating, ${pool.type}` : pool.type,
    `${pool.alive} alive`,
    `${pool.dead} dead`,
    `${untested} not tested`,
    counted(pool.profiles, "profile"),
    ...(pool.countries.length > 0 ? [pool.countries.join(", ")] : []),
  ];
  return <p class="soft">{facts.join(" · ")}</p>;
}

const columns: Column<PoolProxy>[] = [
  { head: "Slot", number: true, key: ({ slot }) => slot },
  { head: "Address", key: ({ address }) => address },
  { head: "Type", key: ({ type }) => type },
  { head: "State", key: ({ exit, error }) => (error !== null ? 0 : exit === null ? 1 : 2) },
  { head: "Latency", number: true, key: ({ exit }) => exit?.latencyMs ?? null },
  { head: "Exit IP", key: ({ exit }) => exit?.ip ?? null },
  { head: "Location", key: (proxy) => placeOf(proxy) || null },
  { head: "Profiles", number: true, key: ({ profiles }) => profiles },
];

interface ProxyTableProps {
  proxies: readonly PoolProxy[];
  heads: readonly Head[];
  waiting: ReadonlySet<number>;
}

function ProxyTable({ proxies, heads, waiting }: ProxyTableProps) {
  return (
    <Table label="Proxies of the pool" class="stack" heads={heads}>
      {proxies.map((proxy) => (
        <tr key={proxy.slot}>
          <td class="number" data-label="Slot">
            {proxy.slot}
          </td>
          <td>
            <code>{proxy.address}</code>
            {proxy.requiresAuth ? <span class="soft"> with password</span> : null}
          </td>
          <td data-label="Type">{proxy.type}</td>
          <td data-label="State">
            <ProxyState proxy={proxy} waiting={waiting.has(proxy.slot)} />
          </td>
          <td class="number" data-label="Latency">
            {proxy.exit === null ? "" : `${proxy.exit.latencyMs} ms`}
          </td>
          <td data-label="Exit IP">{proxy.exit === null ? "" : <code>{proxy.exit.ip}</code>}</td>
          <td data-label="Location">{placeOf(proxy)}</td>
          <td class="number" data-label="Profiles">
            {proxy.profiles}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function ProxyState({ proxy: { exit, error }, waiting }: { proxy: PoolProxy; waiting: boolean }) {
  if (waiting) return <span class="soft">testing …</span>;
  if (error !== null) {
    return (
      <>
        <span class="tag bad">dead</span> <span class="said">{error}</span>
      </>
    );
  }
  return exit === null ? <span class="soft">not tested</span> : <span class="tag good">alive</span>;
}

/** Such as `Paris, FR, Europe/Paris`. */
function placeOf({ exit }: PoolProxy): string {
  return [exit?.city, exit?.country, exit?.timezone].filter(Boolean).join(", ");
}
