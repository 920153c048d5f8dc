/** One script: its source, its contract violations, the changes since its approval, and its approval. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Script } from "../../../../protocol/records.ts";
import { app } from "../api.ts";
import { Code } from "../code/code.tsx";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { When } from "../parts/when.tsx";
import { RunDialog } from "../runs/run-dialog.tsx";
import { Breaches, notesOf, useBreaches } from "./breaches.tsx";
import { EditScript } from "./script-form.tsx";
import { Approval, authors, kindOf } from "./script-words.tsx";

interface Review {
  script: Script;
  approvedSource: string | null;
}

/** Keeps the shown source until the user asks for a newer one, so that an approval is for the source that the user has read. */
function useSteady(scriptId: string) {
  const { value: newest, error } = useLive(["scripts"], () => app.reviewScript({ scriptId }));
  const [held, setHeld] = useState<Review | null>(null);
  const sameSource = held !== null && newest?.script.sha256 === held.script.sha256;
  const shown = held === null || sameSource ? newest : held;
  useEffect(() => {
    if (held === null && newest !== null) setHeld(newest);
  }, [held, newest]);
  /** After the user has saved a source here. */
  const showSaved = async () => setHeld(await app.reviewScript({ scriptId }));
  return { shown, newest, error, showNewest: () => setHeld(newest), showSaved };
}

export function ScriptDetail({ scriptId }: { scriptId: string }) {
  const { shown, newest, error, showNewest, showSaved } = useSteady(scriptId);
  const [editing, setEditing] = useState(false);
  if (shown === null || newest === null) return <p class={error === null ? "soft" : "bad"}>{error}</p>;
  if (editing) {
    const close = () => setEditing(false);
    const saved = () => showSaved().finally(close);
    return <EditScript script={newest.script} onSaved={saved} onCancel={close} />;
  }
  const overtaken = Number(newest.script.version) > Number(shown.script.version);
  return (
    <>
      <p>
        <a href="#/scripts">All scripts</a>
      </p>
      <h1>{shown.script.name}</h1>
      {overtaken ? (
        <div class="card notice-card row ends" role="alert">
          <span>The script was changed: version {newest.script.version} replaces the one shown here.</span>
          <button type="button" class="main" onClick={showNewest}>
            Show version {newest.script.version}
          </button>
        </div>
      ) : null}
      <Facts script={shown.script} />
      <Actions review={shown} overtaken={overtaken} onEdit={() => setEditing(true)} />
      <Source review={shown} />
    </>
  );
}

function Facts({ script }: { script: Script }) {
  return (
    <>
      {script.description === "" ? null : <p>{script.description}</p>}
      <div class="inline-facts">
        <Approval approved={script.approved} />
        <span class="soft">{kindOf(script)}</span>
        <span class="soft">version {script.version}</span>
        <span class="soft">by {authors[script.origin]}</span>
        <span class="soft">
          changed <When at={script.updatedAt} />
        </span>
        <span class="soft">
          SHA-256 <code title={script.sha256}>{script.sha256.slice(0, 16)}…</code>
        </span>
      </div>
    </>
  );
}

interface ActionsProps {
  review: Review;
  overtaken: boolean;
  onEdit(): void;
}

function Actions({ review: { script }, overtaken, onEdit }: ActionsProps) {
  const [running, setRunning] = useState(false);
  const approve = () => app.approveScript({ scriptId: script.id, sha256: script.sha256 });
  return (
    <div class="row card">
      {script.approved ? null : (
        <button
          type="button"
          class="main"
          disabled={overtaken}
          onClick={() => void attempt(approve, `${script.name} is approved.`)}
        >
          Approve this source
        </button>
      )}
      <button type="button" onClick={() => setRunning(true)}>
        Run …
      </button>
      {script.mode === "raw" ? (
        <button type="button" onClick={onEdit}>
          Edit
        </button>
      ) : (
        <a class="button" href={`#/scripts/blocks/${script.id}`}>
          Open in the block editor
        </a>
      )}
      {script.approved ? null : (
        <span class="soft grow">
          An approved script can be scheduled, run on many profiles, and read their stored variables.
        </span>
      )}
      {running ? <RunDialog script={script} onClose={() => setRunning(false)} /> : null}
    </div>
  );
}

function Source({ review: { script, approvedSource } }: { review: Review }) {
  const changed = approvedSource !== null && approvedSource !== script.source;
  const [whole, setWhole] = useState(!changed);
  const [line, setLine] = useState<{ line: number } | null>(null);
  const breaches = useBreaches(script.source);
  const notes = useMemo(() => notesOf(breaches), [breaches]);
  const asChange = changed && !whole;
  return (
    <section class="card" aria-label="Source">
      <div class="row ends">
        <h2>{asChange ? "Changes since approval" : "Source"}</h2>
        {changed ? (
          <button type="button" onClick={() => setWhole(!whole)}>
            {whole ? "Show the changes since approval" : "Show the full source"}
          </button>
        ) : null}
      </div>
      {approvedSource === null && !script.approved ? (
        <p class="soft">No version of this script is approved yet.</p>
      ) : null}
      <Breaches breaches={breaches} onLine={(wanted) => setLine({ line: wanted })} />
      <Code
        label={asChange ? `Changes of ${script.name}` : `Source of ${script.name}`}
        source={script.source}
        {...(asChange ? { before: approvedSource } : {})}
        notes={notes}
        goTo={line}
      />
    </section>
  );
}
