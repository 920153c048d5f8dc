/** Proxies: the list of pools with their counts and actions. */
import { useState } from "preact/hooks";
import type { ProxyPool } from "../../../../protocol/proxies.ts";
import { get, post, remove } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { Empty } from "../parts/empty.tsx";
import { type Column, useSort } from "../parts/sort.ts";
import { Table } from "../parts/table.tsx";
import { AssignDialog } from "../profiles/assign-dialog.tsx";
import { PoolDetail } from "./pool-detail.tsx";
import { ImportDialog, RotatingDialog } from "./proxy-import.tsx";

export function ProxiesPage({ rest: [poolId] }: { rest: string[] }) {
  const pools = useLive(["proxies", "profiles"], () => get<ProxyPool[]>("/v1/proxy-pools"));
  const [making, setMaking] = useState<"static" | "rotating" | null>(null);
  const [assigned, setAssigned] = useState<ProxyPool | null>(null);
  if (pools.value === null) return pools.error === null ? null : <p class="bad">{pools.error}</p>;
  const shown = pools.value.find(({ id }) => id === poolId);
  return (
    <>
      {poolId === undefined ? (
        <PoolList pools={pools.value} onMake={setMaking} onAssign={setAssigned} />
      ) : shown === undefined ? (
        <p>
          This pool does not exist. <a href="#/proxies">All pools</a>
        </p>
      ) : (
        <PoolDetail key={poolId} pool={shown} onAssign={() => setAssigned(shown)} />
      )}
      {making === "static" ? <ImportDialog onClose={() => setMaking(null)} /> : null}
      {making === "rotating" ? <RotatingDialog onClose={() => setMaking(null)} /> : null}
      {assigned === null ? null : (
        <AssignDialog
          name={assigned.name}
          replaces="Replace a profile's current proxy"
          assign={(profile_ids, force) =>
            post(`/v1/proxy-pools/${assigned.id}/assign`, { profile_ids, force }).then(() =>
              setAssigned(null),
            )
          }
          onClose={() => setAssigned(null)}
        />
      )}
    </>
  );
}

interface PoolListProps {
  pools: ProxyPool[];
  onMake(kind: "static" | "rotating"): void;
  onAssign(pool: ProxyPool): void;
}

function PoolList({ pools, onMake, onAssign }: PoolListProps) {
  const first = (
    <>
      <button type="button" class="main" onClick={() => onMake("static")}>
        Import proxies
      </button>
      <button type="button" onClick={() => onMake("rotating")}>
        New rotating pool
      </button>
    </>
  );
  return (
    <>
      <div class="row ends">
        <h1>Proxies</h1>
        {pools.length === 0 ? null : <div class="row">{first}</div>}
      </div>
      {pools.length === 0 ? (
        <Empty title="No pool yet" first={first}>
          Profiles without a proxy use this machine's IP address. A pool is a list of proxies, or a provider's
          gateway; each profile keeps the one that it is assigned.
        </Empty>
      ) : (
        <PoolTable pools={pools} onAssign={onAssign} />
      )}
    </>
  );
}

const columns: Column<ProxyPool>[] = [
  { head: "Name", key: ({ name }) => name },
  { head: "Type", key: typeOf },
  { head: "Proxies", number: true, key: ({ entries }) => entries },
  { head: "Alive", number: true, key: ({ alive }) => alive },
  { head: "Dead", number: true, key: ({ dead }) => dead },
  { head: "Profiles", number: true, key: (pool) => pool.profiles },
  { head: "Countries", key: ({ countries }) => countries.join(", ") || null },
  { head: "Actions" },
];

function typeOf({ kind, type }: ProxyPool): string {
  return kind === "rotating" ? `rotating ${type}` : type;
}

function PoolTable({ pools, onAssign }: Omit<PoolListProps, "onMake">) {
  const drop = ({ id, name }: ProxyPool) => {
    if (!confirm(`Delete the pool "${name}" and its proxies?`)) return;
    void attempt(() => remove(`/v1/proxy-pools/${id}`), `Pool ${name} is deleted.`);
  };
  const { sorted, heads } = useSort(pools, columns);
  return (
    <div class="card">
      <Table label="Proxy pools" class="stack" heads={heads}>
        {sorted.map((pool) => (
          <tr key={pool.id}>
            <td>
              <a href={`#/proxies/${pool.id}`}>{pool.name}</a>
            </td>
            <td data-label="Type">{typeOf(pool)}</td>
            <td class="number" data-label="Proxies">
              {pool.entries.toLocaleString()}
            </td>
            <td class="number good" data-label="Alive">
              {pool.alive.toLocaleString()}
            </td>
            <td class={`number ${pool.dead > 0 ? "bad" : ""}`} data-label="Dead">
              {pool.dead.toLocaleString()}
            </td>
            <td class="number" data-label="Profiles">
              {pool.profiles.toLocaleString()}
            </td>
            <td data-label="Countries">{pool.countries.join(", ")}</td>
            <td>
              <div class="row tight">
                <button type="button" aria-label={`Assign ${pool.name}`} onClick={() => onAssign(pool)}>
                  Assign
                </button>
                <button
                  type="button"
                  class="danger"
                  aria-label={`Delete ${pool.name}`}
                  onClick={() => drop(pool)}
                >
                  Delete
                </button>
              </div>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
