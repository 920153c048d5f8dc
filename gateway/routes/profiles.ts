/** The routes of profiles, and of the browser pool that runs them. */
import { randomUUID } from "node:crypto";
import { fleetHealth } from "../fleet-health.ts";
import { JsonBytes, route } from "../route.ts";
import { openFirst } from "./first-page.ts";
import { profileNow } from "./profile-now.ts";

const atNextStart = ["proxy", "timezone", "languages"] as const;
const badId = "The id is not a uuid.";

export const profileRoutes = [
  route({
    id: "listProfiles",
    method: "GET",
    path: "/v1/profiles",
    access: "read",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "List every profile on the machine with its live running state",
    params: null,
    query: "ListProfilesQuery",
    body: null,
    reply: { status: 200, schema: "Profile", array: true, description: "The profiles, oldest first." },
    faults: { 400: "limit is out of range, status is unknown, or after is no profile of the list." },
    async handle({ query, actors }) {
      if (Object.keys(query).length === 0) return new JsonBytes(await actors.profileList());
      const live = await actors.pool.live({});
      return new JsonBytes((await actors.library.findProfiles({ live, query })).json);
    },
  }),
  route({
    id: "readProfile",
    method: "GET",
    path: "/v1/profiles/{id}",
    access: "read",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "One profile with its live running state",
    params: "IdParams",
    query: null,
    body: null,
    names: ({ params }) => [params.id],
    reply: { status: 200, schema: "Profile", description: "The profile." },
    faults: { 400: badId, 404: "No profile has this id, or it is in the trash." },
    async handle({ params, actors }) {
      return new JsonBytes((await profileNow(actors, params.id)).json);
    },
  }),
  route({
    id: "createProfiles",
    method: "POST",
    path: "/v1/profiles",
    access: "write",
    expensive: true,
    tag: "Profiles",
    quotes: null,
    summary: "Create 1 to 50 profiles",
    description:
      "Each profile is created completely or not at all; `failed` lists those that could not be created. Its device (screen, processor, graphics) is sampled once and stored; no two of one call are alike. With a proxy pool each profile takes a slot, and its timezone and languages follow the exit, which is measured first; if that fails, the host's are used and a warning says so.",
    params: null,
    query: null,
    body: "CreateProfilesBody",
    reply: { status: 200, schema: "CreateProfilesReply", description: "What was created, and what was not." },
    faults: {
      400: "A field is missing or out of range, the proxy pool is a rotating one, or a dataset is of the wrong mode or has too few rows.",
      404: "The proxy pool or the dataset does not exist.",
      409: "No profile could be created.",
    },
    handle: ({ body, actors }) =>
      actors.operations.createProfiles({
        count: body.count,
        nameTemplate: body.name_template ?? "Profile {n}",
        os: body.os ?? null,
        tags: body.tags ?? [],
        ...(body.proxy_pool_id === undefined ? {} : { proxyPoolId: body.proxy_pool_id }),
        ...(body.identity_dataset_id === undefined ? {} : { identityDatasetId: body.identity_dataset_id }),
        ...(body.content_dataset_id === undefined ? {} : { contentDatasetId: body.content_dataset_id }),
      }),
  }),
  route({
    id: "patchProfile",
    method: "PATCH",
    path: "/v1/profiles/{id}",
    access: "write",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "Change a profile's name, folder, groups, tags, time zone, languages or proxy",
    description:
      "Absent fields stay. A running browser keeps its proxy, time zone and languages until its next start: the header `Troupe-Pending` names those.",
    params: "IdParams",
    query: null,
    body: "PatchProfileBody",
    reply: { status: 200, schema: "Profile", description: "The profile." },
    faults: {
      400: "The id is not a uuid, a field has a bad value, or the pool has no such slot.",
      404: "No profile or proxy pool has this id.",
    },
    names: ({ params }) => [params.id],
    async handle({ params, body, actors }) {
      await actors.library.patchProfile({ profileId: params.id, patch: body });
      const { json, live } = await profileNow(actors, params.id);
      const runs = live.some(({ profileId }) => profileId === params.id.toLowerCase());
      const pending = runs ? atNextStart.filter((field) => body[field] !== undefined) : [];
      return new JsonBytes(json, pending.length === 0 ? {} : { "troupe-pending": pending.join(", ") });
    },
  }),
  route({
    id: "deleteProfile",
    method: "DELETE",
    path: "/v1/profiles/{id}",
    access: "write",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "Move a profile to the trash, or delete it for good",
    description: "A running profile is stopped first.",
    params: "IdParams",
    query: "DeleteProfileQuery",
    body: null,
    reply: { status: 204, schema: null, description: "It is in the trash, or gone." },
    faults: { 400: badId, 404: "No profile has this id.", 409: "A run uses the profile." },
    handle: ({ params, query, actors }) =>
      actors.operations.deleteProfile({ profileId: params.id, permanent: query.permanent ?? false }),
  }),
  route({
    id: "restoreProfile",
    method: "POST",
    path: "/v1/profiles/{id}/restore",
    access: "write",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "Take a profile out of the trash",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 200, schema: "Profile", description: "The profile." },
    faults: {
      400: badId,
      404: "No profile in the trash has this id.",
      409: "The profile is being deleted for good.",
    },
    async handle({ params, actors }) {
      await actors.library.restoreProfiles({ profileIds: [params.id] });
      return new JsonBytes((await profileNow(actors, params.id)).json);
    },
  }),
  route({
    id: "listTrash",
    method: "GET",
    path: "/v1/trash",
    access: "read",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "The profiles in the trash",
    params: null,
    query: "ListTrashQuery",
    body: null,
    reply: { status: 200, schema: "TrashedProfile", array: true, description: "In order of creation." },
    faults: { 400: "limit is out of range, or after is no profile." },
    async handle({ query, actors }) {
      const live = await actors.pool.live({});
      return new JsonBytes((await actors.library.listTrash({ live, query })).json);
    },
  }),
  route({
    id: "getCapacity",
    method: "GET",
    path: "/v1/capacity",
    access: "read",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "How many browsers may run at once, run now, and wait for a slot",
    params: null,
    query: null,
    body: null,
    reply: {
      status: 200,
      schema: "CapacityReply",
      description:
        "The capacity of this service's browser pool. On the head of a fleet `fleet` has the workers, their slots, and the parts that wait or run there; browsers of batches run there.",
    },
    faults: {},
    async handle({ actors }) {
      const [here, fleet] = await Promise.all([actors.capacity(), fleetHealth(actors)]);
      return { ...here, ...(fleet && { fleet }) };
    },
  }),
  route({
    id: "launchProfile",
    method: "POST",
    path: "/v1/profiles/{id}/launch",
    access: "write",
    expensive: true,
    tag: "Profiles",
    quotes: null,
    summary: "Open the profile's browser and wait until it has started",
    description:
      "Takes one slot of the browser pool until it stops. A profile with a proxy connects only through it, and shows the time zone of its exit. Retrying a 409 does not help until the cause changes.",
    params: "IdParams",
    query: null,
    body: "LaunchBody",
    bodyOptional: true,
    reply: { status: 200, schema: "LaunchReply", description: "The browser has answered." },
    faults: {
      400: "The id is not a uuid, or the body has an unknown key or a wrong type.",
      404: "The user has added no such extension.",
      409: "The pool is full, the profile is already running or does not exist, its proxy does not work, an extension does not load, or the engine failed to start.",
    },
    // A refused launch has also named the profile (gateway/README.md, "Order of checks" 8).
    names: ({ params }) => [params.id],
    async handle({ params, body, actors, principal, onGone }) {
      const ids = body.extensions ?? [];
      const extensions = ids.length === 0 ? [] : await actors.library.launchExtensions({ ids });
      const waitMs = body.wait_ms ?? 0;
      const ticket = randomUUID();
      if (waitMs > 0)
        onGone(() => void actors.pool.cancelWait({ profileId: params.id, ticket }).catch(() => {}));
      const launched = await actors.pool.launch({
        profileId: params.id,
        options: {
          diagnostic: body.diagnostic ?? false,
          headless: body.headless ?? false,
          idleTimeoutSecs: body.idle_timeout_secs ?? null,
          ...(body.freeze_after_secs !== undefined && { freezeAfterSecs: body.freeze_after_secs }),
          block: { kinds: body.block ?? [], urls: body.block_urls ?? [] },
          extensions,
        },
        wait: false,
        waitMs,
        owner: principal.tokenName,
        ticket,
        warmRunner: null,
      });
      if (body.start_url !== undefined) await openFirst(actors, params.id, body.start_url);
      return {
        cdpUrl: launched.cdpUrl,
        pid: launched.pid,
        ...(launched.diagnostic ? { diagnostic: true } : {}),
        ...(launched.headless ? { headless: true } : {}),
      };
    },
  }),
  route({
    id: "stopProfile",
    method: "POST",
    path: "/v1/profiles/{id}/stop",
    access: "write",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "Close the profile's browser and free its slot",
    description:
      "Answers when the process is gone and its data is on disk; also when the profile was not running. A launch that starts or waits for a slot ends with 409; a run that waits goes on.",
    params: "IdParams",
    query: null,
    body: null,
    reply: { status: 204, schema: null, description: "The profile is not running." },
    faults: { 400: badId },
    async handle({ params, actors }) {
      await actors.pool.stop({ profileId: params.id });
      return null;
    },
  }),
  route({
    id: "setVariables",
    method: "POST",
    path: "/v1/profiles/{id}/variables",
    access: "write",
    expensive: false,
    tag: "Profiles",
    quotes: null,
    summary: "Replace all stored variables of the profile",
    description:
      "They are sealed on disk and given to approved scripts as `variables`. Only their names are ever returned.",
    params: "IdParams",
    query: null,
    body: "SetVariablesBody",
    reply: { status: 200, schema: "SetVariablesReply", description: "The names that are now stored." },
    faults: {
      400: "The id is not a uuid, or a name or value is not allowed.",
      404: "No profile has this id.",
    },
    names: ({ params }) => [params.id],
    async handle({ params, body, actors }) {
      const { names } = await actors.library.setVariables({
        profileId: params.id,
        variables: body.variables,
      });
      return { variableNames: names };
    },
  }),
];
