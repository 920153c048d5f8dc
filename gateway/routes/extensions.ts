/** The route of extensions. Only the user adds and removes them (protocol/README.md, "Extensions"). */
import { route } from "../route.ts";
import { badPage, pageOf } from "./list-page.ts";

export const extensionRoutes = [
  route({
    id: "listExtensions",
    method: "GET",
    path: "/v1/extensions",
    access: "read",
    expensive: false,
    tag: "Service",
    quotes: null,
    summary: "The unpacked extensions that the user has added, for `extensions` of a launch",
    params: null,
    query: "PageQuery",
    body: null,
    reply: {
      status: 200,
      schema: "Extension",
      array: true,
      description: "In order of being added; `error` says why one does not load.",
    },
    faults: { 400: badPage },
    async handle({ query, actors }) {
      const all = (await actors.library.listExtensions({})).map(({ dir: _dir, ...extension }) => extension);
      return pageOf(all, query, ({ extension_id }) => extension_id);
    },
  }),
];
