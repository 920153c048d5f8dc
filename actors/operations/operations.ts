/** All operations, with a file for each. */
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import { backup } from "./backup.ts";
import type { OperationsContext } from "./context.ts";
import { createProfiles } from "./create-profiles.ts";
import { deleteCookies, exportCookies } from "./export-cookies.ts";
import { importCookies } from "./import-cookies.ts";
import { profileCopies } from "./profile-copies.ts";
import { createProxyTests } from "./proxy-tests.ts";
import { storageStates } from "./storage-state.ts";
import { testProxyPool } from "./test-pool.ts";
import { deleteProfile, trashProfiles } from "./trash-profiles.ts";
import { createWebhooks } from "./webhooks.ts";

export function createOperations(
  context: OperationsContext,
  webhooks = createWebhooks(context),
): OperationsApi {
  const { createWebhook, deleteWebhook, ownPorts } = webhooks;
  return {
    createProfiles: (input) => createProfiles(context, input),
    trashProfiles: (input) => trashProfiles(context, input),
    deleteProfile: (input) => deleteProfile(context, input),
    exportCookies: (input) => exportCookies(context, input),
    importCookies: (input) => importCookies(context, input),
    deleteCookies: (input) => deleteCookies(context, input),
    testProxyPool: (input) => testProxyPool(context, input),
    ...storageStates(context),
    ...profileCopies(context),
    ...createProxyTests(context),
    createWebhook,
    deleteWebhook,
    ownPorts,
    backup: (input) => backup(context, input),
  };
}
