/** The routes of a profile's cookies. A stopped profile is opened without a window meanwhile. */
import type { CookiesBody } from "../../protocol/cookies.ts";
import { Fault } from "../../protocol/faults.ts";
import { netscapeText } from "../../protocol/netscape-cookies.ts";
import { Media, route } from "../route.ts";

const badId = "The id is not a uuid.";
const noSlot =
  "The profile does not exist, or is stopped and cannot be opened for the moment, as with a launch.";
const opened =
  "A stopped profile is opened without a window for the moment: it takes a slot and loads no page.";
const forms = { array: "cookies", text: "text" };
const cookies = {
  path: "/v1/profiles/{id}/cookies",
  access: "write",
  expensive: false,
  tag: "Profiles",
  params: "IdParams",
} as const;
const fileForms =
  "Takes the JSON of Playwright, Puppeteer and EditThisCookie, as an array or as `cookies`, and a Netscape cookies.txt, as text/plain or as `text`. What was not there when read back is refused, never counted as taken.";

const changing = {
  ...cookies,
  quotes: null,
  query: null,
  body: "CookiesBody",
  bodyForms: forms,
  reply: {
    status: 200,
    schema: "CookiesReply",
    description: "How many are there, and which are not and why.",
  },
  faults: { 400: `${badId} Or no cookie is readable; nothing has changed.`, 409: noSlot },
} as const;

export const cookieRoutes = [
  route({
    ...cookies,
    id: "readCookies",
    method: "GET",
    quotes: "page",
    summary: "The profile's cookies, as JSON or as a cookies.txt",
    description: opened,
    query: "CookiesQuery",
    body: null,
    reply: {
      status: 200,
      schema: "Cookie",
      array: true,
      mediaTypes: ["text/plain"],
      description: "In Playwright's form; `expires` is in seconds, -1 for a session cookie.",
    },
    faults: { 400: `${badId} Or format is unknown.`, 409: noSlot },
    async handle({ params, query, actors }) {
      const { cookies: read } = await actors.operations.exportCookies({
        profileId: params.id,
        ...(query.domain === undefined ? {} : { domain: query.domain }),
      });
      return query.format === "netscape"
        ? new Media("text/plain", Buffer.from(netscapeText(read)), {})
        : read;
    },
  }),
  route({
    ...changing,
    id: "addCookies",
    method: "POST",
    summary: "Add cookies to the profile, in place of those of the same name and place",
    description: `${fileForms} ${opened}`,
    handle: ({ params, body, actors }) =>
      actors.operations.importCookies({ profileId: params.id, cookies: given(body) }).then(shown),
  }),
  route({
    ...changing,
    id: "replaceCookies",
    method: "PUT",
    summary: "Replace all cookies of the profile",
    description: `${fileForms} ${opened}`,
    handle: ({ params, body, actors }) =>
      actors.operations
        .importCookies({ profileId: params.id, cookies: given(body), replace: true })
        .then(shown),
  }),
  route({
    ...cookies,
    id: "deleteCookies",
    method: "DELETE",
    quotes: null,
    summary: "Delete the profile's cookies, all or those of a host",
    description: opened,
    query: "DeleteCookiesQuery",
    body: null,
    reply: { status: 204, schema: null, description: "They are gone." },
    faults: { 400: badId, 409: noSlot },
    handle: ({ params, query, actors }) =>
      actors.operations.deleteCookies({ profileId: params.id, domain: query.domain ?? null }),
  }),
  route({
    ...cookies,
    path: "/v1/profiles/{id}/storage-state",
    id: "readStorageState",
    method: "GET",
    quotes: "page",
    summary: "The profile's cookies and what sites store in it, as Playwright's storage state",
    description: `With localStorage and IndexedDB of up to 1,000 sites, those with data and those visited last first. A tab opens for it, and no site is asked for anything. ${opened}`,
    query: null,
    body: null,
    reply: {
      status: 200,
      schema: "StorageState",
      description: "For `browser.newContext({ storageState })`.",
    },
    faults: { 400: badId, 409: noSlot },
    handle: ({ params, actors }) => actors.operations.readStorageState({ profileId: params.id }),
  }),
  route({
    ...cookies,
    path: "/v1/profiles/{id}/storage-state",
    id: "replaceStorageState",
    method: "PUT",
    quotes: null,
    summary: "Replace the profile's cookies and what sites store in it by Playwright's storage state",
    description: `What sites have stored before is removed. Cookies are taken as by \`PUT …/cookies\`. ${opened}`,
    query: null,
    body: "StorageStateBody",
    reply: { status: 200, schema: "StorageStateReply", description: "What is there now." },
    faults: { 400: `${badId} Or cookies or origins are missing or damaged.`, 409: noSlot },
    handle: ({ params, body, actors }) =>
      actors.operations.writeStorageState({ profileId: params.id, state: body }),
  }),
];

const shown = ({ taken, refused }: { taken: number; refused: { index: number; error: string }[] }) => ({
  taken,
  refused,
});

function given({ cookies: list, text }: CookiesBody): unknown[] | string {
  if ((list === undefined) === (text === undefined))
    throw new Fault("invalid", "the body must have cookies or text, and not both");
  return list ?? text ?? [];
}
