/** The routes of what a running profile's pages have downloaded. */
import { FileBody, route } from "../route.ts";
import { badPage, pageOf } from "./list-page.ts";

const running = "The profile does not exist or is not running";
const badId = "The id is not a uuid.";
const unknown = "The profile has no such download.";
const downloads = { expensive: false, tag: "Page", quotes: "page", body: null } as const;

export const downloadRoutes = [
  route({
    ...downloads,
    id: "listDownloads",
    method: "GET",
    path: "/v1/profiles/{id}/downloads",
    access: "read",
    summary: "The files that the profile's pages have downloaded",
    description: "The last 200, at most 1 GiB; older ones are deleted.",
    params: "IdParams",
    query: "PageQuery",
    reply: { status: 200, schema: "Download", array: true, description: "Oldest first." },
    faults: { 400: `${badId} Or ${badPage}`, 409: `${running}.` },
    async handle({ params, query, actors }) {
      const all = await (await actors.page(params.id)).listDownloads({});
      return pageOf(all, query, ({ download_id }) => download_id);
    },
  }),
  route({
    ...downloads,
    id: "readDownload",
    method: "GET",
    path: "/v1/profiles/{id}/downloads/{download_id}",
    access: "read",
    summary: "A downloaded file",
    params: "DownloadParams",
    query: "ReadDownloadQuery",
    reply: {
      status: 200,
      schema: null,
      mediaTypes: ["application/octet-stream"],
      description: "The file's bytes.",
    },
    faults: { 400: badId, 404: unknown, 409: `${running}, or the download has failed or is in progress.` },
    async handle({ params, query, actors }) {
      const page = await actors.page(params.id);
      const file = await page.readDownload({ downloadId: params.download_id, waitMs: query.wait_ms ?? 0 });
      return new FileBody(file.path, file.name);
    },
  }),
  route({
    ...downloads,
    id: "deleteDownload",
    method: "DELETE",
    path: "/v1/profiles/{id}/downloads/{download_id}",
    access: "write",
    summary: "Delete a downloaded file, or cancel a download",
    params: "DownloadParams",
    query: null,
    reply: { status: 204, schema: null, description: "It is gone." },
    faults: { 400: badId, 404: unknown, 409: `${running}.` },
    handle: async ({ params, actors }) =>
      (await actors.page(params.id)).deleteDownload({ downloadId: params.download_id }),
  }),
] as const;
