/** A backup of the library, with the files of profiles that do not run. */
import type { OperationsApi } from "../../protocol/messages/operations.ts";
import type { OperationsContext } from "./context.ts";

export async function backup(
  { library, pool }: OperationsContext,
  input: Parameters<OperationsApi["backup"]>[0],
): ReturnType<OperationsApi["backup"]> {
  const running = (await pool.live({})).map(({ profileId }) => profileId);
  return library.backup({ ...input, running });
}
