/** User calls on datasets. */
import type { World } from "../world.ts";
import type { Move } from "./move.ts";
import { profiles } from "./profiles.ts";

/** Rows whose tags are unique, so that each row can be traced. */
function rowsOf(dataset: string, { chance }: World): { tag: string }[] {
  return Array.from({ length: chance.between(1, 5) }, () => ({
    tag: `${dataset}/${chance.between(0, 1e9)}`,
  }));
}

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const rowFacts = (rows: readonly { tag: string }[]) =>
  rows.map(({ tag }): [string, string] => [`row ${tag}`, "there"]);

export const createDataset: Move = (world) => {
  const { chance } = world;
  const mode = chance.is(0.75) ? "consume" : "fixed";
  const name = `d${chance.between(0, 1e9)}`;
  const rows = rowsOf(name, world);
  const asked = {
    name,
    mode,
    columns: [{ name: "tag" }],
    rowsPerRun: mode === "consume" ? chance.between(1, 2) : null,
  } as const;
  world.call(
    "create a dataset",
    ({ library }) => library.createDataset({ ...asked, columns: [{ name: "tag" }], rows: bytes(rows) }),
    { changes: rowFacts(rows), done: ({ dataset }) => void world.datasets.set(dataset.id, { name, mode }) },
  );
};

function datasetOf(
  { chance, datasets }: World,
  mode?: "consume",
): { datasetId: string; name: string } | undefined {
  const all = [...datasets].filter(([, dataset]) => mode === undefined || dataset.mode === mode);
  const [datasetId, dataset] = chance.of(all) ?? [];
  return datasetId === undefined || dataset === undefined ? undefined : { datasetId, name: dataset.name };
}

export const appendRows: Move = (world) => {
  const found = datasetOf(world);
  if (found === undefined) return;
  const rows = rowsOf(found.name, world);
  const { datasetId } = found;
  world.call(
    `append to ${datasetId}`,
    ({ library }) => library.appendRows({ datasetId, rows: bytes(rows) }),
    {
      changes: rowFacts(rows),
    },
  );
};

export const assign: Move = (world) => {
  const { chance } = world;
  const found = datasetOf(world);
  const profileIds = chance.some(profiles(world), 4);
  if (found === undefined || profileIds.length === 0) return;
  const { datasetId } = found;
  const force = chance.is(0.5);
  if (chance.is(0.75))
    world.call(`assign ${datasetId}`, ({ library }) =>
      library.assignDataset({ datasetId, profileIds, force }),
    );
  else
    world.call(`unassign ${datasetId}`, ({ library }) => library.unassignDataset({ datasetId, profileIds }));
};

export const resetDataset: Move = (world) => {
  const found = datasetOf(world, "consume");
  if (found === undefined) return;
  const { datasetId, name } = found;
  world.watch.resetDatasets.add(name);
  world.call(`reset ${datasetId}`, ({ library }) => library.resetDataset({ datasetId }));
};
