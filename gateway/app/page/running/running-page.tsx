/** Running: a picture and the load of each open profile, and a button that stops it. */
import { useEffect, useState } from "preact/hooks";
import type { TabPicture } from "../../../../protocol/messages/profile.ts";
import type { LiveProfile } from "../../../../protocol/profile-spec.ts";
import type { Capacity } from "../../../../protocol/records.ts";
import { get } from "../api.ts";
import { useLive } from "../live.ts";
import { Empty } from "../parts/empty.tsx";
import { closeProfiles, profiles } from "../profiles/acts.ts";
import { Status } from "../profiles/profile-row.tsx";
import { useProfiles } from "../profiles/store.ts";
import { goTo } from "../route.ts";
import { openStream } from "../stream.ts";
import { FleetCard } from "./fleet-card.tsx";
import { HandoffCard, type Picture } from "./handoff.tsx";

interface Load {
  processes: number;
  /** Of one core. */
  cpuPercent: number | null;
  memoryBytes: number;
}

interface View {
  pictures: ReadonlyMap<string, Picture>;
  loads: ReadonlyMap<string, Load>;
}

function useView(): View {
  const [view, setView] = useState<View>({ pictures: new Map(), loads: new Map() });
  useEffect(() => {
    return openStream("/live/running", {
      picture(data) {
        const { profileId, jpeg, width, height }: TabPicture & { profileId: string } = JSON.parse(data);
        const picture = { source: `data:image/jpeg;base64,${jpeg}`, width, height };
        setView((before) => ({ ...before, pictures: new Map(before.pictures).set(profileId, picture) }));
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
        {open.length > 1 ? <StopAll ids={open.map(({ profileId }) => profileId)} /> : null}
      </div>
      {open.length === 0 ? (
        <NoneOpen first={all.length === 0 ? "Create a profile" : "Open a profile"} />
      ) : null}
      <FleetCard nameOf={nameOf} />
      <Handoffs open={open} nameOf={nameOf} pictures={pictures} />
      <ul class="thumbs">
        {open.map((profile) => (
          <li key={profile.profileId} class="card">
            <Thumb name={nameOf(profile.profileId)} picture={pictures.get(profile.profileId)?.source} />
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

function StopAll({ ids }: { ids: string[] }) {
  const stop = () => {
    if (confirm(`Stop ${profiles(ids.length)}?`)) void closeProfiles(ids);
  };
  return (
    <button type="button" onClick={stop}>
      Stop all
    </button>
  );
}

function NoneOpen({ first }: { first: string }) {
  return (
    <Empty
      title="No profile is open"
      first={
        <a class="button main" href="#/profiles">
          {first}
        </a>
      }
    >
      Each browser that runs is shown here with a picture every second and its load, also those of runs and of
      programs. A profile that asks for you takes your mouse and keys here.
    </Empty>
  );
}

interface HandoffsProps extends Pick<View, "pictures"> {
  open: LiveProfile[];
  nameOf(id: string): string;
}

function Handoffs({ open, nameOf, pictures }: HandoffsProps) {
  return (
    <>
      {open.map(({ profileId, handoff }) =>
        handoff === undefined ? null : (
          <HandoffCard
            key={profileId}
            profileId={profileId}
            name={nameOf(profileId)}
            message={handoff}
            picture={pictures.get(profileId) ?? null}
          />
        ),
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
