/** What every page shows of the service: its API, its browsers, and what waits. */
import type { ServiceStatus } from "../../../protocol/messages/app.ts";
import { app } from "./api.ts";
import { useConnected, useLive } from "./live.ts";
import { counted } from "./parts/counted.ts";
import { useProfiles } from "./profiles/store.ts";

export function HeaderState() {
  const connected = useConnected();
  const { value } = useLive(["live", "runs", "settings"], () => app.status({}));
  return (
    <div class="state">
      <Asked />
      {connected ? (
        value && <Facts status={value} />
      ) : (
        <span class="bad" role="status">
          The service is not reachable. Trying again …
        </span>
      )}
    </div>
  );
}

function Facts({ status: { apiUrl, active, max, queued, memoryShort } }: { status: ServiceStatus }) {
  return (
    <>
      <a class={`status ${apiUrl === null ? "stopped" : "running"}`} href="#/api" title={apiUrl ?? undefined}>
        {apiUrl === null ? "API off" : "API on"}
      </a>
      <a href="#/running">{`${active} of ${counted(max, "browser")}`}</a>
      {memoryShort ? (
        <span
          class="bad"
          role="status"
          title="No browser starts until other programs, or profiles, need less"
        >
          Memory is short
        </span>
      ) : null}
      {queued === 0 ? null : (
        <a class="warn" href="#/runs" title="Launches of runs and schedules that wait for a browser">
          {`${queued.toLocaleString()} waiting`}
        </a>
      )}
    </>
  );
}

/** A link to the profiles that wait for the user. */
function Asked() {
  const { live } = useProfiles();
  const count = [...live.values()].filter(({ handoff }) => handoff !== undefined).length;
  if (count === 0) return null;
  return (
    <span role="status">
      <a class="bad" href="#/running">
        {count === 1 ? "A profile needs you" : `${count} profiles need you`}
      </a>
    </span>
  );
}
