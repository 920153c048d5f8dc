/** The fleet: its machines, what each runs, and what waits for what. Nothing where there is none. */
import { useEffect, useState } from "preact/hooks";
import type { FleetMachineStatus, FleetStatus } from "../../../../protocol/fleet.ts";
import { app } from "../api.ts";
import { attempt } from "../notices.tsx";
import { counted } from "../parts/counted.ts";
import { Table } from "../parts/table.tsx";

const lookMs = 5_000;

/** Read again every few seconds, because no change of this service tells of other machines. */
function useFleet(): { status: FleetStatus | null; error: string | null; reload(): void } {
  const [found, setFound] = useState<{ status: FleetStatus | null; error: string | null }>({
    status: null,
    error: null,
  });
  const [round, setRound] = useState(0);
  const reload = () => setRound((before) => before + 1);
  useEffect(() => {
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      timer = setTimeout(reload, lookMs);
    };
    app.fleetStatus({}).then(
      (status) => {
        if (over) return;
        setFound({ status, error: null });
        if (status !== null) again(); // A service joins a fleet only at its start.
      },
      (error: Error) => {
        if (over) return;
        setFound((before) => ({ ...before, error: error.message }));
        again();
      },
    );
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [round]);
  return { ...found, reload };
}

export function FleetCard({ nameOf }: { nameOf(profileId: string): string }) {
  const { status, error, reload } = useFleet();
  if (status === null) return null;
  const { workers, parts, waiting } = status;
  return (
    <section class="card" aria-label="Fleet">
      <h2>Fleet</h2>
      {error === null ? null : (
        <p class="bad" role="status">
          {error}
        </p>
      )}
      {workers.length === 0 ? (
        <p>No machine is in the fleet.</p>
      ) : (
        <Table label="Machines of the fleet" heads={["Machine", "Profiles", "State", "Runs", ""]}>
          {workers.map((worker) => (
            <Machine key={worker.name} worker={worker} nameOf={nameOf} changed={reload} />
          ))}
        </Table>
      )}
      <p class="soft" role="status">
        {counted(parts.begun, "part")} run, {parts.queued} wait
        {waiting.length === 0 ? "." : ":"}
      </p>
      <ul>
        {waiting.map(({ why, count }) => (
          <li key={why}>{`${count} wait ${why}`}</li>
        ))}
      </ul>
    </section>
  );
}

interface MachineProps {
  worker: FleetMachineStatus;
  nameOf(profileId: string): string;
  changed(): void;
}

function Machine({ worker, nameOf, changed }: MachineProps) {
  const { name, label, engine, troupe, holds, slots, state, draining, running } = worker;
  const drain = () => {
    void attempt(() => app.drainMachine({ name, draining: !draining })).then(changed);
  };
  return (
    <tr>
      <td title={`Label ${label}, Chromium ${engine}, Troupe ${troupe}`}>{name}</td>
      <td>{`${holds} of ${slots}`}</td>
      <td>{state}</td>
      <td>{running.map(({ profile_id }) => nameOf(profile_id)).join(", ")}</td>
      <td>
        <button
          type="button"
          aria-label={`${draining ? "Let claim again" : "Drain"} ${name}`}
          title="A drained machine claims nothing more; what it runs goes on"
          onClick={drain}
        >
          {draining ? "Let claim again" : "Drain"}
        </button>
      </td>
    </tr>
  );
}
