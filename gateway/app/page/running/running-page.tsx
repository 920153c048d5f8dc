/** Running: a picture and the load of each open profile, and a button that stops it. */
import { useEffect, useState } from "preact/hooks";
import type { Capacity } from "../../../../protocol/records.ts";
import { get } from "../api.ts";
import { useLive } from "../live.ts";
import { closeProfiles, profiles } from "../profiles/acts.ts";
import { Status } from "../profiles/profile-row.tsx";
import { useProfiles } from "../profiles/store.ts";
import { goTo } from "../route.ts";
import { openStream } from "../stream.ts";

interface Load {
  processes: number;
  /** Of one core. */
  cpuPercent: number | null;
  memoryBytes: number;
}

interface View {
  pictures: ReadonlyMap<string, string>;
  loads: ReadonlyMap<string, Load>;
}

function useView(): View {
  const [view, setView] = useState<View>({ pictures: new Map(), loads: new Map() });
  useEffect(() => {
    return openStream("/live/running", {
      picture(data) {
        const { profileId, jpeg }: { profileId: string; jpeg: string } = JSON.parse(data);
        setView((before) => ({
          ...before,
          pictures: new Map(before.pictures).set(profileId, `data:image/jpeg;base64,${jpeg}`),
        }));
      },
      loads(data) {
        const loads: Record<string, Load> = JSON.parse(data);
        setView((before) => ({ ...before, loads: new Map(Object.entries(loads)) }));
      },
    });
  }, []);
  return view;
}

export function RunningPage() {
  const { all, live } = useProfiles();
  const capacity = useLive(["live", "settings"], () => get<Capacity>("/v1/capacity"));
  const { pictures, loads } = useView();
  const open = [...live.values()].filter(({ status }) => status !== "crashed");
  const crashed = [...live.values()].filter(({ status }) => status === "crashed");
  const nameOf = (id: string) => all.find((profile) => profile.id === id)?.name ?? "…";
  return (
    <>
      <div class="row">
        <h1>Running</h1>
        <span class="soft" role="status">
          {capacity.value === null ? "" : capacityText(capacity.value)}
        </span>
        <span class="grow" />
        {open.length > 1 ? (
          <button
            type="button"
            onClick={() => {
              if (confirm(`Stop ${profiles(open.length)}?`))
                void closeProfiles(open.map(({ profileId }) => profileId));
            }}
          >
            Stop all
          </button>
        ) : null}
      </div>
      {open.length === 0 ? <p class="card soft">No profile is open. Open one from Profiles.</p> : null}
      <ul class="thumbs">
        {open.map((profile) => (
          <li key={profile.profileId} class="card">
            <Thumb name={nameOf(profile.profileId)} picture={pictures.get(profile.profileId)} />
            <div class="row ends">
              <button type="button" class="link" onClick={() => goTo("profiles", profile.profileId)}>
                {nameOf(profile.profileId)}
              </button>
              <Status live={profile} />
            </div>
            <div class="row ends">
              <LoadText load={loads.get(profile.profileId)} />
              <StopButton id={profile.profileId} name={nameOf(profile.profileId)} />
            </div>
          </li>
        ))}
      </ul>
      {crashed.length === 0 ? null : (
        <section class="card" aria-label="Crashed">
          <h2>Crashed</h2>
          {crashed.map((profile) => (
            <p key={profile.profileId} class="row">
              <span class="grow">{nameOf(profile.profileId)}</span>
              <StopButton id={profile.profileId} name={nameOf(profile.profileId)} label="Dismiss" />
            </p>
          ))}
        </section>
      )}
    </>
  );
}

function capacityText({ active, max, queued }: Capacity): string {
  return `${active} of ${max} running${queued === 0 ? "" : `, ${queued} queued`}`;
}

function Thumb({ name, picture }: { name: string; picture: string | undefined }) {
  return (
    <div class="thumb">
      {picture === undefined ? (
        <span class="soft">no picture yet</span>
      ) : (
        <img src={picture} alt={`Screenshot of ${name}`} />
      )}
    </div>
  );
}

function LoadText({ load }: { load: Load | undefined }) {
  if (load === undefined) return <span class="soft">load unknown</span>;
  const memory = `${Math.round(load.memoryBytes / 1024 ** 2)} MB`;
  const cpu = load.cpuPercent === null ? "" : `${Math.round(load.cpuPercent)} % CPU · `;
  return (
    <span
      class="soft"
      data-load
      title={`${load.processes} processes; CPU in percent of one core; private memory`}
    >
      {cpu + memory}
    </span>
  );
}

function StopButton({ id, name, label = "Stop" }: { id: string; name: string; label?: string }) {
  const [busy, setBusy] = useState(false);
  return (
    <button
      type="button"
      disabled={busy}
      aria-label={`${label} ${name}`}
      onClick={() => {
        setBusy(true);
        void closeProfiles([id]).finally(() => setBusy(false));
      }}
    >
      {busy ? "Stopping …" : label}
    </button>
  );
}
