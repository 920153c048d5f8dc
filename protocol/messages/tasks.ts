/** Stateless CPU work on task threads (piscina): an input, an answer, nothing kept. */

import type { Fingerprint, HostDevice } from "../fingerprint.ts";
import type { ExitSources, ProxyMeasurement, ProxyUpstream } from "../proxies.ts";
import type { Count, IsolationLevel, ProfileOs, ScriptLibrary } from "../scalars.ts";

/** One breach of the Raw script contract. Shown as `line N [rule] message`. */
export interface Violation {
  line: number;
  rule: string;
  message: string;
}

/** A compiled DSL script, as `POST /v1/dsl/compile` answers it but for its name. */
export interface CompiledDsl {
  code: string;
  /** Every block but comments: nested, disabled and subflow ones too. */
  nodeCount: number;
  target: ScriptLibrary;
  /** `node n7 [code] text`. */
  warnings: string[];
  /** The name that the document has. */
  name: string | null;
  /** The document that a recording was converted to; null when a document was given. */
  converted: Record<string, unknown> | null;
}

/** What holds scripts back here; `missing` names what the system does not wall them off from, and the remedy. */
export interface ProbedIsolation {
  level: IsolationLevel;
  missing: string | null;
  summary: string;
}

export interface TasksApi {
  /** Violations sorted by line then rule, at most 100; `library` is inferred from the imports. */
  checkContract(input: { source: string }): Promise<{ violations: Violation[]; library: ScriptLibrary }>;
  /**
   * Measures the exit of each proxy, in their order, many at a time; one that has not answered within `deadlineMs` is
   * given up. `sources.timeoutMs` is for each echo service within that.
   */
  measureExits(input: {
    upstreams: ProxyUpstream[];
    sources: ExitSources;
    deadlineMs: number;
    /** How many are measured at the same time. */
    concurrency: number;
  }): Promise<{ measurements: ProxyMeasurement[] }>;
  /**
   * `count` devices of an operating system, no two alike, and none like those of `taken` (keys of other profiles' devices)
   * while the data has others. `host` is the machine that will show them.
   */
  sampleDevices(input: {
    os: ProfileOs;
    count: Count;
    host: HostDevice;
    taken: string[];
  }): Promise<{ devices: Fingerprint[] }>;
  /**
   * Compiles a document of the DSL, or a recording of the DevTools Recorder. Throws `invalid`: one line a problem, with its
   * JSON Pointer and block.
   */
  compileDsl(input: { dsl: Record<string, unknown>; target: ScriptLibrary }): Promise<CompiledDsl>;
  /** The JSON Schema of the DSL, draft 2020-12. */
  dslSchema(input: Record<string, never>): Promise<{ dslVersion: string; schema: Record<string, unknown> }>;
  /** How far a script's process can be shut in on this machine, for `troupe doctor`. */
  probeIsolation(input: Record<string, never>): Promise<ProbedIsolation>;
}
