/** One tab: its session of ours, and what is known of it. */
import type { CdpSession } from "../cdp/session.ts";
import type { Frames } from "./frames.ts";
import type { TabInput } from "./input.ts";
import type { Loading } from "./loading.ts";

export interface Tab {
  targetId: string;
  session: CdpSession;
  frames: Frames;
  loading: Loading;
  input: TabInput;
  /** Resolves when the tab's frames are known. Rejects when the tab closes before. */
  ready: Promise<void>;
  /** At the last check; a change to true means that the tab was activated. */
  visible: boolean;
  crashed: boolean;
  openerId: string | null;
  /** Verbs may drive it: the first tab, those that the current tab's page or navigate opened, and those that a verb or a user brought to the front. */
  driven: boolean;
}
