/** Metrics of the service, as Prometheus reads them (protocol/README.md, "Health and metrics"). */
import type { Histogram, Registry } from "prom-client";
import { createLoadReader } from "../actors/kernel/process-load.ts";
import type { ServiceEvent } from "../protocol/events.ts";
import type { FaultKind } from "../protocol/faults.ts";
import type { LibraryApi } from "../protocol/messages/library.ts";
import type { PoolApi } from "../protocol/messages/pool.ts";
import type { Capacity } from "../protocol/records.ts";
import type { EventHub } from "./events.ts";
import { createFleetGauges } from "./fleet-gauges.ts";
import { type FleetSource, fleetHealth } from "./fleet-health.ts";

/** The sources of the values when metrics are read. */
interface Sources extends FleetSource {
  library: Pick<LibraryApi, "storageState">;
  pool: Pick<PoolApi, "live">;
  events: Pick<EventHub, "lost">;
  capacity(): Promise<Capacity>;
}

export interface Metrics {
  /** Operations by id, page verbs among them. */
  called(operation: string, outcome: FaultKind | "ok", secs: number): void;
  /** Text in Prometheus's format. */
  text(sources: Sources): Promise<string>;
}

interface Loaded {
  registry: Registry;
  take(observation: Observation): void;
  collect(sources: Sources): Promise<void>;
}

type Observation =
  | { is: "call"; operation: string; outcome: string; secs: number }
  | { is: "event"; event: ServiceEvent };

/** The package is loaded when so many wait, or when somebody asks: its load would delay the first calls. */
const waitingMax = 1_000;
const callBuckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];
const launchBuckets = [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30, 100];

/** `listen` calls its argument with each event. */
export function createMetrics(
  listen: (take: (event: ServiceEvent) => void) => void,
  failed: (error: unknown) => void,
): Metrics {
  const waiting: Observation[] = [];
  let loading: Promise<Loaded> | null = null;
  let loaded: Loaded | null = null;

  const load = () => {
    loading ??= createLoaded().then((made) => {
      loaded = made;
      for (const observation of waiting.splice(0)) made.take(observation);
      return made;
    });
    return loading;
  };
  const take = (observation: Observation) => {
    if (loaded !== null) return loaded.take(observation);
    waiting.push(observation);
    if (waiting.length === waitingMax) load().catch(failed);
  };
  listen((event) => take({ is: "event", event }));
  return {
    called: (operation, outcome, secs) => take({ is: "call", operation, outcome, secs }),
    async text(sources) {
      const { registry, collect } = await load();
      await collect(sources);
      return registry.metrics();
    },
  };
}

async function createLoaded(): Promise<Loaded> {
  const { Counter, Gauge, Histogram, Registry } = await import("prom-client");
  const registry = new Registry();
  const about = (name: string, help: string, labelNames: string[] = []) => ({
    name: `troupe_${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  const gauge = (name: string, help: string, labels?: string[]) => new Gauge(about(name, help, labels));
  const counter = (name: string, help: string, labels?: string[]) => new Counter(about(name, help, labels));
  const calls = new Histogram({
    ...about("call_duration_seconds", "Operations by name and outcome, page verbs among them.", [
      "operation",
      "outcome",
    ]),
    buckets: callBuckets,
  });
  const launches = new Histogram({
    ...about("launch_duration_seconds", "From a browser's start until it answers.", ["outcome"]),
    buckets: launchBuckets,
  });
  const counted = eventCounters(counter, launches);
  const loads = createLoadReader();
  const setFleet = createFleetGauges((name, help, labels) => gauge(`fleet_${name}`, help, labels));
  const gauges = {
    slots: gauge("slots", "Slots for browsers.", ["state"]),
    queued: gauge("launches_queued", "Launches that wait for a slot."),
    memoryShort: gauge("memory_short", "1 while no browser starts because memory is short."),
    runs: gauge("runs", "Runs that are kept, by status.", ["status"]),
    memory: gauge("memory_bytes", "Memory of the service and of its browsers.", ["part"]),
    processor: gauge("processor_seconds", "Processor time of the service and of the browsers that run.", [
      "part",
    ]),
    processes: gauge("browser_processes", "Processes of browsers."),
    journal: gauge("journal_bytes", "Changes since the last snapshot of the library."),
    snapshotAge: gauge("snapshot_age_seconds", "Time since the last snapshot of the library."),
    lost: gauge("events_lost", "Events that readers could not be sent since the start."),
  };
  return {
    registry,
    take(observation) {
      if (observation.is === "event") return counted(observation.event);
      const { operation, outcome, secs } = observation;
      calls.observe({ operation, outcome }, secs);
    },
    async collect({ library, pool, runs, isFleetHead, events, capacity }) {
      const [{ active, max, queued, memory_short }, state, live, fleet] = await Promise.all([
        capacity(),
        library.storageState({}),
        pool.live({}),
        fleetHealth({ runs, isFleetHead }),
      ]);
      setFleet(fleet);
      gauges.slots.set({ state: "active" }, active);
      gauges.slots.set({ state: "max" }, max);
      gauges.queued.set(queued);
      gauges.memoryShort.set(Number(memory_short));
      gauges.runs.reset();
      for (const { status, count } of state.runs) gauges.runs.set({ status }, count);
      gauges.journal.set(state.journalBytes);
      if (state.snapshotAt !== null)
        gauges.snapshotAge.set((Date.now() - Date.parse(state.snapshotAt)) / 1_000);
      gauges.lost.set(events.lost());
      const browsers = (await loads(live.flatMap(({ pid }) => pid ?? []))) ?? new Map();
      const sum = (of: (load: { memoryBytes: number; cpuSecs: number; processes: number }) => number) =>
        [...browsers.values()].reduce((total, load) => total + of(load), 0);
      const { user, system } = process.cpuUsage();
      gauges.memory.set({ part: "service" }, process.memoryUsage.rss());
      gauges.memory.set(
        { part: "browsers" },
        sum(({ memoryBytes }) => memoryBytes),
      );
      gauges.processor.set({ part: "service" }, (user + system) / 1e6);
      gauges.processor.set(
        { part: "browsers" },
        sum(({ cpuSecs }) => cpuSecs),
      );
      gauges.processes.set(sum(({ processes }) => processes));
    },
  };
}

type MakeCounter = (name: string, help: string, labels?: string[]) => { inc(labels: object): void };

/** Counts events. A launch lasts from a profile's status `starting` until its next status. */
function eventCounters(counter: MakeCounter, launches: Histogram): (event: ServiceEvent) => void {
  const events = counter("events_total", "Events by type.", ["type"]);
  const ended = counter("runs_ended_total", "Runs that ended, by status.", ["status"]);
  const starting = new Map<string, number>();
  return ({ type, at, status = "", profile_id = "" }) => {
    events.inc({ type });
    if (type === "run.ended") ended.inc({ status });
    if (type !== "profile.status") return;
    const begun = starting.get(profile_id);
    starting.delete(profile_id);
    if (status === "starting") starting.set(profile_id, Date.parse(at));
    else if (begun !== undefined)
      launches.observe({ outcome: status === "running" ? "ok" : "failed" }, (Date.parse(at) - begun) / 1_000);
  };
}
