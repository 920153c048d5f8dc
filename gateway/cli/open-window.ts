/** `troupe open`: a link to the control page, and its window where there is a display. */
import { displayOf, hasDisplay } from "../machine.ts";
import { type CommonFlags, complainOfVersion, write } from "./commands.ts";
import { complain } from "./output.ts";
import { runningService } from "./reach.ts";

/** The service owns the window and opens it on the caller's display. */
export async function open(flags: CommonFlags & { window?: boolean }): Promise<void> {
  const service = runningService(flags);
  const { url } = await service.openLink({});
  let opened = flags.window !== false && hasDisplay();
  if (opened) {
    await service.showWindow({ display: displayOf() }).catch((error: unknown) => {
      complain(`${error instanceof Error ? error.message : error}; the link works in any browser`);
      opened = false;
    });
  }
  write(flags, { url, opened }, () => url);
  complainOfVersion(flags);
}
