/** Creates the initial state of most simulations, once. */
import { plainDevices } from "../actors/devices.ts";
import { type Beginning, nothing } from "./beginning.ts";
import { factsIn } from "./books.ts";
import { createChance } from "./chance.ts";
import type { Troupe } from "./troupe.ts";
import { World } from "./world.ts";

const profiles = 6;
const rows = 12;

export async function makeBeginning(): Promise<Beginning> {
  const world = new World(createChance(0), nothing);
  world.start();
  await world.advance(2_000);
  const { troupe } = world;
  if (troupe === null) throw new Error("the service does not start");
  const made: Beginning = { files: new Map(), facts: new Map(), scripts: [], datasets: [] };
  world.call("make the beginning", () => fill(troupe, made));
  await world.advance(5_000);
  world.watch.look((sql) => {
    made.facts = factsIn(sql);
  });
  await world.stop();
  made.files = world.drive.image();
  world.threads.endAll();
  return made;
}

async function fill({ library }: Troupe, made: Beginning): Promise<void> {
  await library.changeSettings({ settings: { browsersMax: 2, runProfileTimeoutMs: 30_000 } });
  const devices = plainDevices(profiles);
  const asked = { nameTemplate: "P {n}", tags: [], timezone: "UTC", languages: [], devices };
  const { created } = await library.createProfiles({ ...asked, os: "linux" });
  for (let script = 0; script < 2; script += 1) {
    const source = `export default () => ${script}`;
    const saved = await library.saveScript({
      name: `S ${script}`,
      source,
      description: "",
      library: "puppeteer",
      scriptId: null,
    });
    await library.approveScript({ scriptId: saved.scriptId, sha256: null });
    made.scripts.push(saved.scriptId);
  }
  for (const mode of ["consume", "consume", "fixed"] as const) {
    const name = `begun${made.datasets.length}`;
    const given = Array.from({ length: rows }, (_, row) => ({ tag: `${name}/${row}` }));
    const { dataset } = await library.createDataset({
      name,
      mode,
      columns: [{ name: "tag" }],
      rows: new TextEncoder().encode(JSON.stringify(given)),
      rowsPerRun: mode === "consume" ? 1 : null,
    });
    made.datasets.push([dataset.id, { name, mode }]);
    const some = created.slice(made.datasets.length).map((profile) => profile.profile_id);
    await library.assignDataset({ datasetId: dataset.id, profileIds: some, force: true });
  }
}
