/** The routes of settings that a program may read and change. What guards the user is changed by the user. */
import type { Settings } from "../../protocol/records.ts";
import type { ApiSettings } from "../../protocol/requests.ts";
import { route } from "../route.ts";

const shown = (settings: Settings): ApiSettings => ({
  idleTimeoutSecs: settings.idleTimeoutSecs,
  runProfileTimeoutMs: settings.runProfileTimeoutMs,
  keep_session_cookies: settings.keepSessionCookies,
  freeze_after_secs: settings.freezeAfterSecs,
  runFilesKeptDays: settings.runFilesKeptDays,
  runFilesMbMax: settings.runFilesMbMax,
});

export const settingsRoutes = [
  route({
    id: "readSettings",
    method: "GET",
    path: "/v1/settings",
    access: "read",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "Idle times, script time, session cookies, and how long files of runs stay",
    params: null,
    query: null,
    body: null,
    reply: { status: 200, schema: "ApiSettings", description: "The settings." },
    faults: {},
    handle: async ({ actors }) => shown(await actors.library.readSettings({})),
  }),
  route({
    id: "patchSettings",
    method: "PATCH",
    path: "/v1/settings",
    access: "write",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "Change some of these settings",
    description:
      "They apply from the next launch or run on. The other settings are changed in the application.",
    params: null,
    query: null,
    body: "PatchSettingsBody",
    bodyExamples: {
      idle: { summary: "Stop browsers after 10 idle minutes", value: { idleTimeoutSecs: 600 } },
    },
    reply: { status: 200, schema: "ApiSettings", description: "All of them." },
    faults: { 400: "A value is out of range." },
    async handle({ body: { keep_session_cookies, freeze_after_secs, ...body }, actors }) {
      const settings = {
        ...body,
        ...(keep_session_cookies !== undefined && { keepSessionCookies: keep_session_cookies }),
        ...(freeze_after_secs !== undefined && { freezeAfterSecs: freeze_after_secs }),
      };
      return shown(await actors.library.changeSettings({ settings }));
    },
  }),
];
