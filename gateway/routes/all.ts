/** Every route of the API, in the order of the OpenAPI document. */
import { type Route, route } from "../route.ts";
import { cookieRoutes } from "./cookies.ts";
import { datasetRoutes } from "./datasets.ts";
import { downloadRoutes } from "./downloads.ts";
import { dslRoutes } from "./dsl.ts";
import { eventRoutes } from "./events.ts";
import { extensionRoutes } from "./extensions.ts";
import { handoffRoutes } from "./handoff.ts";
import { healthRoutes } from "./health.ts";
import { pageRoutes } from "./page.ts";
import { profileCopyRoutes } from "./profile-copies.ts";
import { profileRoutes } from "./profiles.ts";
import { proxyRoutes } from "./proxies.ts";
import { runRoutes } from "./runs.ts";
import { scheduleRoutes } from "./schedules.ts";
import { scriptRoutes } from "./scripts.ts";
import { settingsRoutes } from "./settings.ts";
import { tabRoutes } from "./tabs.ts";
import { webhookRoutes } from "./webhooks.ts";

const openapi = route({
  id: "readOpenapi",
  method: "GET",
  path: "/v1/openapi.json",
  access: "read",
  expensive: false,
  tag: "Service",
  quotes: null,
  summary: "The OpenAPI 3.1 document of this API",
  params: null,
  query: null,
  body: null,
  reply: { status: 200, schema: null, description: "An OpenAPI 3.1 document." },
  faults: {},
  handle: async ({ document }) => document(),
});

export const routes: readonly Route[] = [
  ...profileRoutes,
  ...profileCopyRoutes,
  ...cookieRoutes,
  ...proxyRoutes,
  ...datasetRoutes,
  ...tabRoutes,
  ...handoffRoutes,
  ...downloadRoutes,
  ...pageRoutes,
  ...scriptRoutes,
  ...dslRoutes,
  ...runRoutes,
  ...scheduleRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...extensionRoutes,
  ...settingsRoutes,
  ...healthRoutes,
  openapi,
];
