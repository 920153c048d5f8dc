/** Profiles: search, open and close them, and keep them in order. */
import { useMemo, useState } from "preact/hooks";
import { goTo } from "../route.ts";
import { profiles } from "./acts.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { type Choice, chosen, facetsOf, type Place } from "./filter.ts";
import { Places } from "./places.tsx";
import { ProfileGrid } from "./profile-grid.tsx";
import { ProfilePanel } from "./profile-panel.tsx";
import { AskDialog, type Asked, SelectionBar } from "./selection.tsx";
import { type Profiles, useProfiles } from "./store.ts";

interface Question {
  asked: Asked;
  ids: string[];
}

export function ProfilesPage({ rest }: { rest: string[] }) {
  const known = useProfiles();
  const [choice, setChoice] = useState<Choice>({ place: { kind: "all" }, search: "", order: "newest" });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [question, setQuestion] = useState<Question | null>(null);
  const { live } = known;
  const { facets, shown, ids } = useShown(known, choice, selected);
  const [current = null] = rest;
  const profile = known.all.find(({ id }) => id === current);
  const selectNone = () => setSelected(new Set());
  const select = (place: Place) => {
    selectNone();
    setChoice({ ...choice, place });
  };
  const ask = (asked: Asked, of: string[]) => setQuestion({ asked, ids: of });
  const done = (asked: Asked) => {
    setQuestion(null);
    if (asked === "trash" || asked === "delete") selectNone();
  };
  const inTrash = choice.place.kind === "trash";
  return (
    <div class={`profiles${profile === undefined ? "" : " with-panel"}`}>
      <Places facets={facets} place={choice.place} onChoose={select} />
      <section class="middle" aria-label="List">
        <div class="row">
          <h1>Profiles</h1>
          <span class="soft" role="status">
            {known.complete ? profiles(shown.length) : "loading …"}
          </span>
          <Search choice={choice} onChange={setChoice} />
          {inTrash ? <EmptyTrash count={facets.trash} onAsk={() => ask("empty", [])} /> : null}
          <NewProfiles />
        </div>
        {ids.length === 0 ? null : (
          <SelectionBar {...{ ids, inTrash }} onAsk={(asked) => ask(asked, ids)} onNone={selectNone} />
        )}
        {known.error === null ? null : <p class="bad">{known.error}</p>}
        {shown.length === 0 ? (
          <p class="card soft">{emptyText(known, choice)}</p>
        ) : (
          <ProfileGrid
            {...{ shown, live, selected, current }}
            onSelect={setSelected}
            onShow={(id) => goTo("profiles", id)}
            onDelete={() => ids.length > 0 && ask(inTrash ? "delete" : "trash", ids)}
          />
        )}
      </section>
      {profile === undefined ? null : (
        <ProfilePanel
          profile={profile}
          live={live.get(profile.id)}
          onAsk={(asked) => ask(asked, [profile.id])}
          onClose={closePanel}
        />
      )}
      {question === null ? null : (
        <AskDialog
          {...question}
          running={question.ids.filter((id) => live.has(id)).length}
          facets={facets}
          onClose={() => setQuestion(null)}
          onDone={() => done(question.asked)}
        />
      )}
    </div>
  );
}

/** Counts for the places, the profiles to show, and the ids of the selected ones among them. */
function useShown({ all, live }: Profiles, choice: Choice, selected: ReadonlySet<string>) {
  const facets = useMemo(() => facetsOf(all, live), [all, live]);
  const shown = useMemo(() => chosen(all, live, choice), [all, live, choice]);
  const ids = useMemo(
    () => (selected.size === 0 ? [] : shown.filter(({ id }) => selected.has(id)).map(({ id }) => id)),
    [shown, selected],
  );
  return { facets, shown, ids };
}

function NewProfiles() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="main" onClick={() => setOpen(true)}>
        New profiles
      </button>
      {open ? <CreateDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function EmptyTrash({ count, onAsk }: { count: number; onAsk(): void }) {
  return (
    <button type="button" class="danger" disabled={count === 0} onClick={onAsk}>
      Empty the trash …
    </button>
  );
}

function closePanel(): void {
  goTo("profiles");
  document.querySelector<HTMLElement>(".grid")?.focus();
}

function Search({ choice, onChange }: { choice: Choice; onChange(choice: Choice): void }) {
  return (
    <>
      <input
        class="grow"
        type="search"
        aria-label="Search profiles"
        placeholder="name, folder, tag, proxy"
        value={choice.search}
        onInput={(event) => onChange({ ...choice, search: event.currentTarget.value })}
      />
      <select
        aria-label="Order"
        value={choice.order}
        onChange={(event) => {
          const given = event.currentTarget.value;
          onChange({ ...choice, order: given === "name" || given === "used" ? given : "newest" });
        }}
      >
        <option value="newest">newest first</option>
        <option value="name">by name</option>
        <option value="used">last used first</option>
      </select>
    </>
  );
}

function emptyText({ complete }: Profiles, { search, place }: Choice): string {
  if (!complete) return "Loading profiles …";
  if (search !== "") return "No profile matches the search.";
  if (place.kind === "trash") return "The trash is empty.";
  if (place.kind === "open") return "No profile is open.";
  return "No profile yet. Each profile is a separate browser with its own identity, cookies and proxy.";
}
