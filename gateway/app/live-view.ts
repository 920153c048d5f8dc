/** Streams pictures and process loads of the running profiles, only while a page watches. */
import type { ServerResponse } from "node:http";
import { createLoadReader, type LoadReader } from "../../actors/kernel/process-load.ts";
import type { LiveProfile } from "../../protocol/profile-spec.ts";
import type { Actors } from "../actors.ts";
import { beginEvents } from "../respond.ts";
import { pageHeaders } from "./page-files.ts";

export interface LiveView {
  /** Serves GET /live/running; false for any other path. */
  answer(path: string, response: ServerResponse): boolean;
  close(): void;
}

const lookMs = 2_000;
const quietMs = 500;
/** A client that does not keep up misses pictures, so that they do not pile up in memory. */
const unsentBytesMax = 4 * 1024 ** 2;

export function createLiveView(
  actors: Pick<Actors, "pool" | "page">,
  failed: (error: unknown) => void,
  readLoads: LoadReader = createLoadReader(),
): LiveView {
  const readers = new Set<ServerResponse>();
  /** The last event of each watched profile; null before its first picture. */
  const pictures = new Map<string, string | null>();
  let looking = false;

  const write = (text: string) => {
    for (const reader of readers) if (reader.writableLength < unsentBytesMax) reader.write(text);
  };
  const watch = async (profileId: string): Promise<void> => {
    pictures.set(profileId, null);
    try {
      const page = await actors.page(profileId);
      for (let after = 0; readers.size > 0; ) {
        const { picture } = await page.picture({ after });
        if (picture === null) {
          await pause(quietMs); // A browser without a tab answers at once.
          continue;
        }
        after = picture.number;
        const text = eventOf("picture", { profileId, ...picture });
        pictures.set(profileId, text);
        write(text);
      }
    } catch {
      // The profile was stopped; `look` finds it when it runs again.
    } finally {
      pictures.delete(profileId);
    }
  };
  const look = async () => {
    const running = (await actors.pool.live({})).filter((profile) => profile.status === "running");
    for (const { profileId } of running) if (!pictures.has(profileId)) watch(profileId).catch(failed);
    write(eventOf("loads", await loadsOf(running, readLoads)));
  };
  const lookOn = async () => {
    if (looking) return;
    looking = true;
    try {
      while (readers.size > 0) {
        await look();
        await pause(lookMs);
      }
    } catch (error) {
      failed(error); // The pool restarts; the page reconnects.
      for (const reader of readers) reader.end();
    } finally {
      looking = false;
    }
  };
  return {
    answer(path, response) {
      if (path !== "/live/running") return false;
      beginEvents(response, pageHeaders);
      for (const picture of pictures.values()) if (picture !== null) response.write(picture);
      readers.add(response);
      response.once("close", () => readers.delete(response));
      lookOn().catch(failed);
      return true;
    },
    close() {
      for (const reader of readers) reader.end();
      readers.clear();
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

async function loadsOf(running: readonly LiveProfile[], readLoads: LoadReader): Promise<object> {
  const leaders = running.flatMap(({ pid }) => pid ?? []);
  const loads = await readLoads(leaders);
  const known = running.flatMap(({ profileId, pid }) => {
    const load = pid === undefined ? undefined : loads?.get(pid);
    return load === undefined ? [] : [[profileId, load]];
  });
  return Object.fromEntries(known);
}

function eventOf(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
