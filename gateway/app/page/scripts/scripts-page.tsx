/** Scripts: the list, with links to one script, the editors and a new script. */
import { app } from "../api.ts";
import { BlocksPage } from "../blocks/blocks-page.tsx";
import { useLive } from "../live.ts";
import { ScriptDetail } from "./script-detail.tsx";
import { NewScript } from "./script-form.tsx";
import { Approval, authors } from "./script-words.tsx";

export function ScriptsPage({ rest: [scriptId, blocksOf = null] }: { rest: (string | null)[] }) {
  if (scriptId === "new") return <NewScript />;
  if (scriptId === "blocks") return <BlocksPage scriptId={blocksOf} />;
  if (typeof scriptId === "string") return <ScriptDetail key={scriptId} scriptId={scriptId} />;
  return <ScriptList />;
}

function ScriptList() {
  const { value, error } = useLive(["scripts"], () => app.listScripts({}));
  return (
    <>
      <div class="row ends">
        <h1>Scripts</h1>
        <div class="row">
          <a class="button" href="#/scripts/new">
            New script
          </a>
          <a class="button" href="#/scripts/blocks">
            New block script
          </a>
        </div>
      </div>
      {error === null ? null : <p class="bad">{error}</p>}
      {value?.length === 0 ? (
        <p class="card soft">No script yet. Write one here, or save one over the API.</p>
      ) : null}
      {value === null || value.length === 0 ? null : (
        <ul class="records card">
          {value.toReversed().map((script) => (
            <li key={script.id}>
              <a href={`#/scripts/${script.id}`}>{script.name}</a>
              <Approval approved={script.approved} />
              <span class="soft">
                {script.mode === "dsl" ? "blocks" : "TypeScript"}, version {script.version}
              </span>
              <span class="soft">by {authors[script.origin]}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
