/** Copies of a profile: duplicates, checkpoints and its archive; and what its pages have downloaded. */
import { useState } from "preact/hooks";
import type { Download } from "../../../../protocol/downloads.ts";
import type { Checkpoint } from "../../../../protocol/profile-copies.ts";
import type { LiveProfile } from "../../../../protocol/profile-spec.ts";
import { get, post, remove, save } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { sizeText } from "../parts/size.ts";
import { When } from "../parts/when.tsx";
import type { Listed } from "./store.ts";

export function Copies({ profile, live }: { profile: Listed; live: LiveProfile | undefined }) {
  const path = `/v1/profiles/${profile.id}`;
  const runs = live !== undefined && live.status !== "crashed";
  const [withState, setWithState] = useState(false);
  return (
    <>
      <h3>Copies</h3>
      {runs ? <p class="soft">Close the profile to copy its logins and storage.</p> : null}
      <div class="row">
        <button
          type="button"
          disabled={runs && withState}
          onClick={() =>
            void attempt(
              () => post(`${path}/duplicate`, { with_state: withState }),
              "The profile is duplicated.",
            )
          }
        >
          Duplicate
        </button>
        <label>
          <input
            type="checkbox"
            checked={withState}
            onInput={(event) => setWithState(event.currentTarget.checked)}
          />{" "}
          with logins and storage
        </label>
      </div>
      <div class="row">
        <button
          type="button"
          disabled={runs}
          onClick={() => void attempt(() => save(`${path}/export`, `${profile.slug}.troupe`), "Exported.")}
        >
          Save as a file
        </button>
      </div>
      <Checkpoints path={path} runs={runs} />
      {live?.status === "running" ? <Downloads path={path} /> : null}
    </>
  );
}

function Checkpoints({ path, runs }: { path: string; runs: boolean }) {
  const { value, reload } = useLive([], () => get<Checkpoint[]>(`${path}/checkpoints`), path);
  const [name, setName] = useState("");
  const act = (work: () => Promise<unknown>, done: string) => void attempt(work, done).then(reload);
  return (
    <>
      <h3>Checkpoints</h3>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          act(() => post(`${path}/checkpoints`, { name }), "The checkpoint is kept.");
          setName("");
        }}
      >
        <input
          class="grow"
          aria-label="New checkpoint"
          placeholder="before the change"
          required
          maxLength={200}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="submit" disabled={runs}>
          Keep
        </button>
      </form>
      <ul class="plain">
        {(value ?? []).map((checkpoint) => (
          <Kept key={checkpoint.checkpoint_id} path={path} runs={runs} act={act} checkpoint={checkpoint} />
        ))}
      </ul>
    </>
  );
}

interface KeptProps {
  path: string;
  runs: boolean;
  act(work: () => Promise<unknown>, done: string): void;
  checkpoint: Checkpoint;
}

function Kept({ path, runs, act, checkpoint }: KeptProps) {
  const { checkpoint_id: id, name, created_at: at, bytes } = checkpoint;
  return (
    <li class="row">
      <span class="grow">
        {name} <span class="soft">{sizeText(bytes)}, </span>
        <When at={at} />
      </span>
      <button
        type="button"
        disabled={runs}
        aria-label={`Restore ${name}`}
        onClick={() => {
          if (confirm(`Restore "${name}"? What the profile has now is lost.`))
            act(() => post(`${path}/checkpoints/${id}/restore`), `"${name}" is restored.`);
        }}
      >
        Restore
      </button>
      <button
        type="button"
        class="danger"
        aria-label={`Delete ${name}`}
        onClick={() => {
          if (confirm(`Delete "${name}"?`)) act(() => remove(`${path}/checkpoints/${id}`), "Deleted.");
        }}
      >
        Delete
      </button>
    </li>
  );
}

/** Only a running profile can list them; read when it is unfolded. */
function Downloads({ path }: { path: string }) {
  const [list, setList] = useState<Download[] | null>(null);
  const read = async () => setList(await get<Download[]>(`${path}/downloads`));
  return (
    <details
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) void attempt(read);
      }}
    >
      <summary>Downloads</summary>
      {list?.length === 0 ? <p class="soft">No page has downloaded a file yet.</p> : null}
      <ul class="plain">
        {(list ?? []).map(({ download_id: id, name, state, size, error }) => (
          <li key={id} class="row">
            <span class="grow">
              {name}{" "}
              <span class="soft">{error ?? (state === "in_progress" ? "in progress" : sizeText(size))}</span>
            </span>
            <button
              type="button"
              disabled={state !== "completed"}
              aria-label={`Save ${name}`}
              onClick={() => void attempt(() => save(`${path}/downloads/${id}`, name))}
            >
              Save
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
