/** One profile in the list, with the button that opens or closes it. */
// biome-ignore-all lint/a11y/useSemanticElements: a table lays out all its rows; of ten thousand these are the few in sight
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus and names its active row (aria-activedescendant)
import { useState } from "preact/hooks";
import type { LiveProfile } from "../../../../protocol/profile-spec.ts";
import { closeProfiles, openProfiles, restoreProfiles } from "./acts.ts";
import type { Listed } from "./store.ts";

export const rowHeight = 44;
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const times = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const tagsMax = 3;

export function Status({ live }: { live: LiveProfile | undefined }) {
  const status = live?.status ?? "stopped";
  return <span class={`status ${status}`}>{status}</span>;
}

export function OpenButton(props: { profile: Listed; live: LiveProfile | undefined; tabIndex?: number }) {
  const { profile, live, tabIndex = 0 } = props;
  const [busy, setBusy] = useState(false);
  const starting = live?.status === "starting";
  const [what, act] =
    profile.trashedAt !== null
      ? ["Restore", restoreProfiles]
      : starting || live?.status === "running"
        ? [starting ? "Opening …" : "Close", closeProfiles]
        : ["Open", openProfiles];
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      disabled={busy || starting}
      aria-label={`${what} ${profile.name}`}
      onClick={(event) => {
        event.stopPropagation();
        setBusy(true);
        void act([profile.id]).finally(() => setBusy(false));
      }}
    >
      {what}
    </button>
  );
}

export function ProfileRow(props: {
  index: number;
  profile: Listed;
  live: LiveProfile | undefined;
  selected: boolean;
  active: boolean;
  current: boolean;
  onToggle(range: boolean): void;
  onShow(): void;
}) {
  const { index, profile, live, selected, active, current } = props;
  const { name, folder, tags, proxy, lastUsed } = profile;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys, and Enter is this click
    <div
      role="row"
      id={`profile-${index}`}
      aria-rowindex={index + 2}
      aria-selected={selected}
      class={`grid-row${active ? " active" : ""}${current ? " current" : ""}`}
      style={{ transform: `translateY(${index * rowHeight}px)` }}
      onClick={props.onShow}
    >
      <span role="gridcell" class="cell-check">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${name}`}
          checked={selected}
          onClick={(event) => {
            event.stopPropagation();
            props.onToggle(event.shiftKey);
          }}
        />
      </span>
      <span role="gridcell" class="cell-name">
        {name}
      </span>
      <span role="gridcell" class="cell-status">
        <Status live={live} />
      </span>
      <span role="gridcell" class="cell-folder soft">
        {folder}
      </span>
      <span role="gridcell" class="cell-tags">
        <Tags tags={tags} />
      </span>
      <span role="gridcell" class="cell-proxy soft">
        {proxy.enabled ? `${proxy.host}:${proxy.port}` : "direct"}
      </span>
      <span role="gridcell" class="cell-last-used soft">
        {lastUsed === null ? "never" : shortly(lastUsed)}
      </span>
      <span role="gridcell" class="cell-act">
        <OpenButton key={profile.id} profile={profile} live={live} tabIndex={-1} />
      </span>
    </div>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <>
      {tags.slice(0, tagsMax).map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
      {tags.length > tagsMax ? <span class="soft">+{tags.length - tagsMax}</span> : null}
    </>
  );
}

function shortly(at: string): string {
  const date = new Date(at);
  return (date.toDateString() === new Date().toDateString() ? times : dates).format(date);
}
