/** What each system needs to start the service at login and again after a failure. Pure: tests make those of every system. */
import { existsSync } from "node:fs";
import { posix, resolve, win32 } from "node:path";
import { allocatorEnv } from "../machine.ts";
import { startFailures } from "../start-failures.ts";

export interface Place {
  platform: NodeJS.Platform;
  home: string;
  /** For launchd, which names the user's session by it. */
  uid: number;
  node: string;
  command: string;
  dataDir: string;
  /** What `carried` found. */
  env: Record<string, string>;
}

export interface Unit {
  system: "systemd" | "launchd" | "the task scheduler";
  file: string;
  text: string;
  /** The words of the command that a unit of this system, as it is on disk, starts; none if it has another form. */
  wordsIn(text: string): string[];
  encoding: "utf8" | "utf16le";
  on: string[][];
  off: string[][];
  status: string[];
  /** What the user may want besides. */
  hint: string | null;
  /** What a user must have for the commands to work; null: nothing. */
  needs: string | null;
}

const label = "troupe";
const stopSecs = 60;
/** A start that fails so fails again: wrong usage, and all but a port or a disk that may be free later. */
const lasting = [
  2,
  ...Object.entries(startFailures)
    .filter(([name]) => name !== "port-taken" && name !== "disk-refused")
    .map(([, { exit }]) => exit),
];

const argumentsOf = ({ node, command, dataDir }: Place) => [node, command, "serve", "--data", dataDir];

const paths = ["CHROMIUM_PATH", "TMPDIR", "TROUPE_CACHE_DIR", "XDG_DATA_HOME"];
/** Browsers of profiles without a proxy use them. */
const proxies = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [
  name,
  name.toUpperCase(),
]);

/** The variables of this terminal that change what a service does; the system starts it without them. */
export function carried(env: NodeJS.ProcessEnv): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of [...paths, ...proxies, "TROUPE_LOG"]) {
    const value = env[name] ?? "";
    if (value !== "") found[name] = paths.includes(name) ? resolve(value) : value; // Its working directory is another one.
  }
  return found;
}

/** Homebrew removes a version's folder when it installs the next; its link to the newest one stays. */
export function lastingNode(path: string, exists: (path: string) => boolean = existsSync): string {
  const lasting = path.replace(/\/Cellar\/([^/]+)\/[^/]+\//, "/opt/$1/");
  return exists(lasting) ? lasting : path;
}

/** Null for a system without a known way. */
export function unitFor(place: Place): Unit | null {
  if (place.platform === "linux") return systemd(place);
  if (place.platform === "darwin") return launchd(place);
  return place.platform === "win32" ? taskScheduler(place) : null;
}

function systemd(place: Place): Unit {
  const file = posix.join(place.home, ".config/systemd/user", `${label}.service`);
  const quotedValue = (text: string) =>
    `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("\n", "\\n")}"`;
  const quoted = (text: string) => quotedValue(text).replaceAll("$", "$$$$");
  const text = `[Unit]
Description=Troupe: browser profiles behind a local API
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=exec
ExecStart=${argumentsOf(place).map(quoted).join(" ")}
${Object.entries({ ...allocatorEnv, ...place.env })
  .map(([name, value]) => `Environment=${quotedValue(`${name}=${value}`)}`)
  .join("\n")}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=${lasting.join(" ")}
KillMode=mixed
TimeoutStopSec=${stopSecs}
StandardOutput=null

[Install]
WantedBy=default.target
`;
  const systemctl = (...args: string[]) => ["systemctl", "--user", ...args];
  return {
    system: "systemd",
    file,
    text,
    wordsIn: wordsOfSystemd,
    encoding: "utf8",
    on: [systemctl("daemon-reload"), systemctl("enable", "--now", `${label}.service`)],
    off: [systemctl("disable", "--now", `${label}.service`)],
    status: systemctl("status", "--no-pager", `${label}.service`),
    hint: "it starts when you log in; to start it with the machine: loginctl enable-linger",
    needs:
      "log in as this user (su and sudo start no session of systemd; export XDG_RUNTIME_DIR=/run/user/$(id -u) joins one that is there)",
  };
}

function wordsOfSystemd(text: string): string[] {
  const line = /^ExecStart=(.*)$/m.exec(text)?.[1] ?? "";
  return [...line.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, word = ""]) =>
    word.replace(/\\(.)|%%|\$\$/g, (pair, one: string | undefined) =>
      one === "n" ? "\n" : (one ?? pair.charAt(0)),
    ),
  );
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const marks: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };

function wordsOfLaunchd(text: string): string[] {
  const list = /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/.exec(text)?.[1] ?? "";
  return [...list.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word = ""]) =>
    word.replace(/&(?:amp|lt|gt|quot);/g, (mark) => marks[mark] ?? mark),
  );
}

function launchd(place: Place): Unit {
  const name = `local.${label}`;
  const file = posix.join(place.home, "Library/LaunchAgents", `${name}.plist`);
  const words = argumentsOf(place).map((word) => `    <string>${escaped(word)}</string>`);
  const variables = Object.entries(place.env).map(
    ([name, value]) => `    <key>${name}</key><string>${escaped(value)}</string>`,
  );
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${name}</string>
  <key>ProgramArguments</key>
  <array>
${words.join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("\n")}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>ExitTimeOut</key><integer>${stopSecs}</integer>
  <key>ProcessType</key><string>Interactive</string>
</dict>
</plist>
`;
  const session = `gui/${place.uid}`;
  return {
    system: "launchd",
    file,
    text,
    wordsIn: wordsOfLaunchd,
    encoding: "utf8",
    on: [["launchctl", "bootstrap", session, file]],
    off: [["launchctl", "bootout", `${session}/${name}`]],
    status: ["launchctl", "print", `${session}/${name}`],
    hint: null,
    needs: "log in to this Mac's desktop as this user",
  };
}

function taskScheduler(place: Place): Unit {
  const name = "Troupe";
  const file = win32.join(place.dataDir, "troupe-task.xml");
  const [program = "", ...words] = argumentsOf(place);
  const line = words.map((word) => (/[\s"]/.test(word) ? `"${word}"` : word)).join(" ");
  const text = `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>Troupe: browser profiles behind a local API</Description></RegistrationInfo>
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Principals><Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>${escaped(program)}</Command><Arguments>${escaped(line)}</Arguments></Exec></Actions>
</Task>
`;
  return {
    system: "the task scheduler",
    file,
    text: `\ufeff${text.replaceAll("\n", "\r\n")}`,
    wordsIn: () => [], // It lies in its data directory, and is known by that.
    encoding: "utf16le",
    on: [
      ["schtasks", "/Create", "/TN", name, "/XML", file, "/F"],
      ["schtasks", "/Run", "/TN", name],
    ],
    off: [
      ["schtasks", "/End", "/TN", name],
      ["schtasks", "/Delete", "/TN", name, "/F"],
    ],
    status: ["schtasks", "/Query", "/TN", name, "/V", "/FO", "LIST"],
    hint: null,
    needs: null,
  };
}
