/** The profile thread: owns one browser from its launch to its end, and serves its page verbs. */
import { Fault } from "../../protocol/faults.ts";
import { profileControlChecks } from "../../protocol/generated/messages/profile.ts";
import { eachVerb } from "../../protocol/generated/verb-table.ts";
import type {
  ProfileConfig,
  ProfileControlApi,
  ProfileNotice,
  ProfilePageApi,
} from "../../protocol/messages/profile.ts";
import { logRejections } from "../kernel/background.ts";
import { hostActor } from "../kernel/host.ts";
import { createCallers } from "./callers.ts";
import { deleteCookies, readCookies, replaceCookies, writeCookies } from "./cookies.ts";
import { profilesInTurn } from "./in-turn.ts";
import { ProfileLife, type ProfileParts } from "./life.ts";
import { createScriptHost } from "./script-host.ts";
import { giveUserInput } from "./user-input.ts";

export interface ProfileActor {
  control: ProfileControlApi;
  page: ProfilePageApi;
}

export function createProfileActor(parts: ProfileParts): ProfileActor {
  const { leave, ...others } = parts;
  const leaving = () => {
    callers.close();
    leave?.();
  };
  const life = new ProfileLife(leave === undefined ? others : { ...others, leave: leaving });

  const page: ProfilePageApi = {
    ...eachVerb((name, input) => life.using(({ verbs }) => verbs[name](input))),
    listTabs: (input) => life.using(({ tabs }) => tabs.listTabs(input)),
    openTab: (input) => life.using(({ tabs }) => tabs.openTab(input)),
    activateTab: (input) => life.using(({ tabs }) => tabs.activateTab(input)),
    closeTab: (input) => life.using(({ tabs }) => tabs.closeTab(input)),
    listDownloads: () => life.using(({ browser }) => browser.downloads.listDownloads()),
    readDownload: (input) => life.using(({ browser }) => browser.downloads.readDownload(input)),
    deleteDownload: (input) => life.using(({ browser }) => browser.downloads.deleteDownload(input)),
    runScript: (job) => life.using(({ scripts }) => scripts.run(job)),
    readCookies: () =>
      life.using(async ({ browser }) => ({ cookies: await readCookies(browser.connection.root) })),
    writeCookies: ({ cookies, replace = false }) =>
      life.using(async ({ browser: { connection } }) => {
        const write = replace ? replaceCookies : writeCookies;
        return { refused: await write(connection.root, cookies) };
      }),
    deleteCookies: ({ domain }) =>
      life.using(async ({ browser }) => {
        await deleteCookies(browser.connection.root, domain);
        return null;
      }),
    handoff: (wish) => life.using(async ({ handoff }) => ({ outcome: await handoff.ask(wish) })),
    async leaveHandoff({ ticket }) {
      life.running?.handoff.leave(ticket);
      return null;
    },
    async endHandoff({ outcome }) {
      life.watched().handoff.end(outcome);
      return null;
    },
    async userInput({ events }) {
      const { handoff, browser } = life.watched();
      if (!handoff.isOn()) throw new Fault("conflict", "the profile is not handed to the user");
      await giveUserInput(browser.tabs, events);
      return null;
    },
    picture: ({ after }) =>
      life.looking(async ({ screencast }) => ({ picture: await screencast.next(after) })),
    cdpTrace: async ({ after, waitMs }) => life.watched().trace.next(after, waitMs),
    scriptLog: async ({ runId, after }) => life.watched().scripts.logOf(runId, after),
    async abortScript({ runId, reason }) {
      life.running?.scripts.abort(runId, reason);
      return null;
    },
  };

  const callers = createCallers(page, parts.log, (runId) =>
    life.running?.scripts.abort(runId, "the caller of the script has disconnected"),
  );

  const control: ProfileControlApi = {
    launch: (input) => life.launch(input),
    async stop() {
      await life.stop();
      return null;
    },
    async touch() {
      life.running?.idle.touch();
      return null;
    },
    async freezePages() {
      life.running?.pages.freezeNow();
      return null;
    },
    prepare: async () => ({ more: await life.prepare() }),
    async connect({ port }) {
      life.watched(); // A call for this profile must not reach the next one of this thread.
      callers.serve(port);
      return null;
    },
  };
  return { control, page };
}

hostActor<ProfileConfig, ProfileControlApi>("profile", profileControlChecks, async (context) => {
  logRejections(context.log); // Ending the thread would end the browser too.
  return profilesInTurn(
    (leave) => createProfileActor({ ...context, createScriptHost, leave }).control,
    () => context.notify({ notice: "vacant" } satisfies ProfileNotice),
  );
});
