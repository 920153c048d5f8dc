/** The page's copy of the profiles: read in parts, then only the changes; running profiles are separate. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { KeptProfile, ListVersion } from "../../../../protocol/messages/profile-keeping.ts";
import type { LiveProfile } from "../../../../protocol/profile-spec.ts";
import { app } from "../api.ts";
import { onChanged } from "../live.ts";

export interface Listed extends KeptProfile {
  /** Name, folder, tags, groups and proxy host in lower case. */
  searched: string;
  /** Sorts "Profile 2" before "Profile 10". */
  sortName: string;
}

export interface Profiles {
  /** Newest first, including those in the trash. */
  all: readonly Listed[];
  live: ReadonlyMap<string, LiveProfile>;
  complete: boolean;
  error: string | null;
}

const known = new Map<string, Listed>();
const readers = new Set<(profiles: Profiles) => void>();
let version: ListVersion | null = null;
let state: Profiles = { all: [], live: new Map(), complete: false, error: null };

function tell(changed: Partial<Profiles>): void {
  state = { ...state, ...changed };
  for (const reader of readers) reader(state);
}

function listed(profile: KeptProfile): Listed {
  const { name, folder, tags, groups, proxy } = profile;
  return {
    ...profile,
    searched: [name, folder ?? "", ...tags, ...groups, proxy.host].join("\n").toLowerCase(),
    sortName: name.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0")),
  };
}

async function readList(): Promise<void> {
  for (let more = true; more; ) {
    const part = await app.profilesSince({ since: version });
    if (part.fresh) known.clear();
    for (const id of part.removed) known.delete(id);
    for (const profile of part.profiles) known.set(profile.id, listed(profile));
    ({ version, more } = part);
    const changed = part.fresh || part.profiles.length + part.removed.length > 0;
    if (changed || !more)
      tell({
        ...(changed ? { all: [...known.values()].sort((a, b) => b.position - a.position) } : {}),
        complete: state.complete || !more,
        error: null,
      });
  }
}

async function readLive(): Promise<void> {
  const live = await app.liveProfiles({});
  tell({ live: new Map(live.map((profile) => [profile.profileId, profile])) });
}

/** Reads do not overlap: calls during a read cause one more. */
function oneAtATime(read: () => Promise<void>): () => void {
  let reading = false;
  let again = false;
  const next = () => {
    again = reading;
    if (reading) return;
    reading = true;
    read()
      .catch((error: unknown) => tell({ error: error instanceof Error ? error.message : String(error) }))
      .finally(() => {
        reading = false;
        if (again) next();
      });
  };
  return next;
}

const freshList = oneAtATime(readList);
const freshLive = oneAtATime(readLive);

export function useProfiles(): Profiles {
  const [shown, setShown] = useState(state);
  useEffect(() => {
    readers.add(setShown);
    setShown(state);
    const ends = [onChanged(["profiles"], freshList), onChanged(["live"], freshLive)];
    freshList();
    freshLive();
    return () => {
      readers.delete(setShown);
      for (const end of ends) end();
    };
  }, []);
  return shown;
}

/** The profiles outside the trash, oldest first. */
export function useKept(): { kept: readonly Listed[]; complete: boolean; error: string | null } {
  const { all, complete, error } = useProfiles();
  const kept = useMemo(() => all.filter(({ trashedAt }) => trashedAt === null).reverse(), [all]);
  return { kept, complete, error };
}

/** Returns a profile's name; for a deleted profile, its id. */
export function useNames(): (id: string) => string {
  const { all } = useProfiles();
  const names = useMemo(() => new Map(all.map(({ id, name }) => [id, name])), [all]);
  return (id) => names.get(id) ?? id;
}
