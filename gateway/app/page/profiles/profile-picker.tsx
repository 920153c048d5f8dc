/** Selects profiles: a search by name, tag or folder, a checkbox for each, and a button for all matches. */
import { useMemo, useState } from "preact/hooks";
import { type Listed, useKept } from "./store.ts";

/** The button also selects matches that are not shown. */
const shownMax = 100;

export interface PickerProps {
  chosen: ReadonlySet<string>;
  onChange(chosen: Set<string>): void;
  /** Profiles that may be selected; default all. */
  among?(profile: Listed): boolean;
}

export function ProfilePicker({ chosen, onChange, among = () => true }: PickerProps) {
  const { kept, complete, error } = useKept();
  const [query, setQuery] = useState("");
  const found = useMemo(() => profilesLike(kept, query).filter(among), [kept, query, among]);
  const withAll = () => onChange(new Set([...chosen, ...found.map(({ id }) => id)]));
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <fieldset class="picker">
      <legend>Profiles</legend>
      <div class="row">
        <input
          class="grow"
          type="search"
          aria-label="Search profiles"
          placeholder="name, tag or folder"
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button type="button" disabled={found.length === 0} onClick={withAll}>
          {`Select all ${found.length.toLocaleString()}`}
        </button>
        <button type="button" disabled={chosen.size === 0} onClick={() => onChange(new Set())}>
          Select none
        </button>
      </div>
      <ul class="choices">
        {found.slice(0, shownMax).map(({ id, name, tags }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={chosen.has(id)} onChange={() => toggle(id)} /> {name}{" "}
              <span class="soft">{tags.join(", ")}</span>
            </label>
          </li>
        ))}
      </ul>
      <p class="soft" role="status">
        {error ?? `${chosen.size.toLocaleString()} selected`}
        {found.length > shownMax
          ? `; the first ${shownMax} of ${found.length.toLocaleString()} are shown`
          : ""}
        {complete && found.length === 0 ? "; no profile matches" : ""}
      </p>
    </fieldset>
  );
}

function profilesLike(profiles: readonly Listed[], query: string): readonly Listed[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return profiles.filter(({ searched }) => words.every((word) => searched.includes(word)));
}
