/** Profiles: search, open and close them, and keep them in order. */
import { useMemo, useState } from "preact/hooks";
import { Empty } from "../parts/empty.tsx";
import { goTo } from "../route.ts";
import { profiles } from "./acts.ts";
import { CreateButton } from "./create-dialog.tsx";
import { type Choice, chosen, facetsOf, type Order, orders, type Place } from "./filter.ts";
import { FirstSteps, useFirstSteps } from "./first-steps.tsx";
import { FromFile } from "./from-file.tsx";
import { Places } from "./places.tsx";
import { ProfileGrid } from "./profile-grid.tsx";
import { ProfilePanel } from "./profile-panel.tsx";
import { AskDialog, type Asked, SelectionBar } from "./selection.tsx";
import { type Profiles, useProfiles } from "./store.ts";

interface Question {
  asked: Asked;
  ids: string[];
}

const firstChoice: Choice = { place: { kind: "all" }, search: "", order: "newest", reversed: false };

export function ProfilesPage({ rest }: { rest: string[] }) {
  const known = useProfiles();
  const [choice, setChoice] = useState(firstChoice);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [question, setQuestion] = useState<Question | null>(null);
  const { live } = known;
  const { facets, shown, ids } = useShown(known, choice, selected);
  const steps = useFirstSteps(facets.all, known.complete);
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
          <Count count={known.complete ? shown.length : null} />
          <Search choice={choice} onChange={setChoice} />
          {inTrash ? <EmptyTrash count={facets.trash} onAsk={() => ask("empty", [])} /> : null}
          <CreateButton label="New profiles" />
          <FromFile />
        </div>
        {steps === null ? null : <FirstSteps progress={steps} />}
        {ids.length === 0 ? null : (
          <SelectionBar {...{ ids, inTrash }} onAsk={(asked) => ask(asked, ids)} onNone={selectNone} />
        )}
        {known.error === null ? null : <p class="bad">{known.error}</p>}
        {shown.length === 0 ? (
          <NoProfile {...{ known, choice, steps }} />
        ) : (
          <ProfileGrid
            {...{ shown, live, selected, current, choice }}
            onSort={(order) => setChoice(sortedBy(order, choice))}
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

/** Null: not known yet. */
function Count({ count }: { count: number | null }) {
  return (
    <span class="soft" role="status">
      {count === null ? "loading …" : profiles(count)}
    </span>
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

const orderWords: Record<Order, string> = {
  newest: "newest first",
  name: "by name",
  status: "by status",
  folder: "by folder",
  proxy: "by proxy",
  used: "last used first",
};

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
          const order = orders.find((known) => known === event.currentTarget.value) ?? "newest";
          onChange({ ...choice, order, reversed: false });
        }}
      >
        {orders.map((order) => (
          <option key={order} value={order}>
            {orderWords[order]}
          </option>
        ))}
      </select>
    </>
  );
}

function sortedBy(order: Order, choice: Choice): Choice {
  return { ...choice, order, reversed: order === choice.order && !choice.reversed };
}

interface NoProfileProps {
  known: Profiles;
  choice: Choice;
  steps: object | null;
}

function NoProfile({ known, choice, steps }: NoProfileProps) {
  const text = emptyText(known, choice);
  if (text !== null) return <p class="card soft">{text}</p>;
  if (steps !== null) return null; // The first step is the same.
  return (
    <Empty title="No profile yet" first={<CreateButton label="Create a profile" />}>
      A profile is a browser of its own: with its own identity, cookies, logins and proxy.
    </Empty>
  );
}

/** Null: there is no profile at all. */
function emptyText({ complete }: Profiles, { search, place }: Choice): string | null {
  if (!complete) return "Loading profiles …";
  if (search !== "") return "No profile matches the search.";
  if (place.kind === "trash") return "The trash is empty.";
  return place.kind === "open" ? "No profile is open." : null;
}
