/** Scripts: the list, with links to one script, the editors and a new script. */
import type { ScriptListing } from "../../../../protocol/records.ts";
import { app } from "../api.ts";
import { BlocksPage } from "../blocks/blocks-page.tsx";
import { useLive } from "../live.ts";
import { Empty } from "../parts/empty.tsx";
import { type Column, useSort } from "../parts/sort.ts";
import { Table } from "../parts/table.tsx";
import { ScriptDetail } from "./script-detail.tsx";
import { NewScript } from "./script-form.tsx";
import { Approval, authors, kindOf } from "./script-words.tsx";

export function ScriptsPage({ rest: [scriptId, blocksOf = null] }: { rest: (string | null)[] }) {
  if (scriptId === "new") return <NewScript />;
  if (scriptId === "blocks") return <BlocksPage scriptId={blocksOf} />;
  if (typeof scriptId === "string") return <ScriptDetail key={scriptId} scriptId={scriptId} />;
  return <ScriptList />;
}

const columns: Column<ScriptListing>[] = [
  { head: "Name", key: ({ name }) => name },
  { head: "Approval", key: ({ approved }) => (approved ? "approved" : "not approved") },
  { head: "Kind", key: kindOf },
  { head: "Version", number: true, key: ({ version }) => Number(version) },
  { head: "By", key: ({ origin }) => authors[origin] },
];

function ScriptList() {
  const { value, error } = useLive(["scripts"], async () => (await app.listScripts({})).reverse());
  const links = (
    <>
      <a class="button main" href="#/scripts/new">
        New script
      </a>
      <a class="button" href="#/scripts/blocks">
        New block script
      </a>
    </>
  );
  return (
    <>
      <div class="row ends">
        <h1>Scripts</h1>
        {value?.length === 0 ? null : <div class="row">{links}</div>}
      </div>
      {error === null ? null : <p class="bad">{error}</p>}
      {value?.length === 0 ? (
        <Empty title="No script yet" first={links}>
          A script drives the pages of your profiles: with Playwright or Puppeteer, or from blocks. Programs
          save scripts over the API too, and you approve them here.
        </Empty>
      ) : null}
      {value === null || value.length === 0 ? null : <ScriptTable scripts={value} />}
    </>
  );
}

function ScriptTable({ scripts }: { scripts: readonly ScriptListing[] }) {
  const { sorted, heads } = useSort(scripts, columns);
  return (
    <div class="card">
      <Table label="Scripts" class="stack" heads={heads}>
        {sorted.map((script) => (
          <tr key={script.id}>
            <td>
              <a href={`#/scripts/${script.id}`}>{script.name}</a>
            </td>
            <td data-label="Approval">
              <Approval approved={script.approved} />
            </td>
            <td data-label="Kind">{kindOf(script)}</td>
            <td data-label="Version" class="number">
              {script.version}
            </td>
            <td data-label="By">{authors[script.origin]}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
