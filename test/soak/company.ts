/** The profiles, scripts, rows and schedules of a soak, and its loads, each with its own profiles. */
import type { CreateProfilesReply, SaveScriptReply } from "../../protocol/requests.ts";
import { attachers } from "./loads/attachers.ts";
import { batches } from "./loads/batches.ts";
import { handWork } from "./loads/hand-work.ts";
import type { LoadContext, Round } from "./loads/load.ts";
import { openSchedules } from "./loads/schedules.ts";
import { type Library, scriptSources } from "./loads/scripts.ts";

export interface Company {
  profileIds: readonly string[];
  scheduleIds: readonly string[];
  datasetId: string;
  scriptIds: Readonly<Record<Library, string>>;
  loads: readonly { round: Round; pauseMs: number }[];
  enableSchedules(on: boolean): Promise<void>;
}

const rows = 5_000;

export async function gatherCompany(context: LoadContext): Promise<Company> {
  const { target } = context;
  const create = async (name: string, count: number, content?: string) => {
    const { created } = await target.post<CreateProfilesReply>("/v1/profiles", {
      count,
      name_template: `${name} {n}`,
      ...(content === undefined ? {} : { content_dataset_id: content }),
    });
    return created.map((profile) => profile.profile_id);
  };
  const { dataset } = await target.post<{ dataset: { id: string } }>("/v1/datasets", {
    name: "Texts",
    mode: "consume",
    columns: [{ name: "text" }],
    rows: Array.from({ length: rows }, (_, at) => ({ text: `text ${at}` })),
    rows_per_run: 1,
  });
  const scriptIds = {
    playwright: await saveApproved(context, "playwright"),
    puppeteer: await saveApproved(context, "puppeteer"),
  };
  const [first, second, attached, batched, scheduled] = [
    await create("First hand", 2),
    await create("Second hand", 2),
    await create("Attached", 2),
    await create("Batched", 6, dataset.id),
    await create("Scheduled", 2),
  ];
  // A scheduled run has only its profiles' variables.
  for (const id of scheduled)
    await target.post(`/v1/profiles/${id}/variables`, { variables: { site: context.site } });
  const schedules = await openSchedules(context, {
    profileIds: scheduled,
    scriptIds: Object.values(scriptIds),
  });
  return {
    profileIds: [first, second, attached, batched, scheduled].flat(),
    scheduleIds: schedules.ids,
    datasetId: dataset.id,
    scriptIds,
    loads: [
      { round: handWork(first), pauseMs: 1_000 },
      { round: handWork(second), pauseMs: 4_000 },
      { round: attachers(attached), pauseMs: 4_000 },
      { round: batches({ profileIds: batched, scriptIds, concurrency: 3 }), pauseMs: 3_000 },
      { round: schedules.runNow, pauseMs: 60_000 },
    ],
    enableSchedules: schedules.enable,
  };
}

async function saveApproved({ target }: LoadContext, library: Library): Promise<string> {
  const source = scriptSources[library];
  const { scriptId } = await target.post<SaveScriptReply>("/v1/scripts", { name: library, source });
  await target.approve(scriptId);
  return scriptId;
}
