/** The control page's layout: its pages, the navigation, and the notices. */
import { type ComponentType, render } from "preact";
import { useEffect } from "preact/hooks";
import { ActivityPage } from "./activity/activity-page.tsx";
import { ApiPage } from "./api/api-page.tsx";
import { DatasetsPage } from "./datasets/datasets-page.tsx";
import { HeaderState } from "./header-state.tsx";
import { Notices } from "./notices.tsx";
import { ProfilesPage } from "./profiles/profiles-page.tsx";
import { ProxiesPage } from "./proxies/proxies-page.tsx";
import { useRoute } from "./route.ts";
import { RunningPage } from "./running/running-page.tsx";
import { RunsPage } from "./runs/runs-page.tsx";
import { SchedulesPage } from "./schedules/schedules-page.tsx";
import { ScriptsPage } from "./scripts/scripts-page.tsx";
import { session } from "./session.ts";
import { SettingsPage } from "./settings/settings-page.tsx";

export interface PageProps {
  rest: string[];
}

const pages: { name: string; title: string; Page: ComponentType<PageProps> }[] = [
  { name: "profiles", title: "Profiles", Page: ProfilesPage },
  { name: "running", title: "Running", Page: RunningPage },
  { name: "scripts", title: "Scripts", Page: ScriptsPage },
  { name: "runs", title: "Runs", Page: RunsPage },
  { name: "activity", title: "Activity", Page: ActivityPage },
  { name: "schedules", title: "Schedules", Page: SchedulesPage },
  { name: "proxies", title: "Proxies", Page: ProxiesPage },
  { name: "datasets", title: "Datasets", Page: DatasetsPage },
  { name: "api", title: "API & MCP", Page: ApiPage },
  { name: "settings", title: "Settings", Page: SettingsPage },
];

function Layout() {
  const [name = pages[0]?.name, ...rest] = useRoute();
  const shown = pages.find((page) => page.name === name);
  useEffect(() => {
    document.title = shown === undefined ? "Troupe" : `${shown.title} · Troupe`;
    const current = document.querySelector('nav a[aria-current="page"]');
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [shown]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="bar">
        <strong class="mark">
          <img src="/icon.svg" alt="" width="22" height="22" />
          Troupe
        </strong>
        <nav aria-label="Pages">
          {pages.map((page) => (
            <a key={page.name} href={`#/${page.name}`} aria-current={page === shown ? "page" : undefined}>
              {page.title}
            </a>
          ))}
        </nav>
        <HeaderState />
      </header>
      <main id="main" tabIndex={-1}>
        {shown === undefined ? <p>This page does not exist.</p> : <shown.Page rest={rest} />}
      </main>
      <Notices />
    </>
  );
}

function Stranger() {
  return (
    <main id="main">
      <h1>Troupe</h1>
      <p>
        This link is missing or was already used. Get a new link with: <code>troupe open</code>
      </p>
    </main>
  );
}

const place = document.getElementById("page");
if (place !== null) {
  render(<Layout />, place);
  void session.then((secret) => {
    if (secret === null) render(<Stranger />, place);
  });
}
