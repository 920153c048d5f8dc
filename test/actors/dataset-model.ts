/** A simple model of datasets' rows, in which every row stores its state. */
import type { DatasetMode } from "../../protocol/datasets.ts";

export interface ModelRow {
  state: "free" | "held" | "used";
  profileId: string | null;
  runId: string | null;
}

export interface ModelDataset {
  id: string;
  name: string;
  mode: DatasetMode;
  rowsPerRun: number;
  rows: ModelRow[];
}

/** Plain data, so that it can be cloned. */
export interface Model {
  datasets: ModelDataset[];
  profileIds: string[];
  slots: Map<string, number>;
  parts: Map<string, "waiting" | "running">;
}

export function newModel(): Model {
  return { datasets: [], profileIds: [], slots: new Map(), parts: new Map() };
}

const freeRow = (): ModelRow => ({ state: "free", profileId: null, runId: null });

export function firstFree(dataset: ModelDataset, count: number): number[] {
  return [...dataset.rows.keys()].filter((row) => dataset.rows[row]?.state === "free").slice(0, count);
}

function give(dataset: ModelDataset, row: number | undefined, profileId: string, runId: string | null): void {
  if (row !== undefined) dataset.rows[row] = { state: "held", profileId, runId };
}

function takeBack(model: Model, profileId: string): void {
  const dataset = model.datasets[model.slots.get(`fixed ${profileId}`) ?? -1];
  for (const [row, { profileId: holder }] of (dataset?.rows ?? []).entries()) {
    if (holder === profileId && dataset !== undefined) dataset.rows[row] = freeRow();
  }
}

export type Step =
  | { what: "append"; dataset: number; rows: number }
  | { what: "assign"; dataset: number; profileIds: string[]; force: boolean }
  | { what: "unassign"; dataset: number; profileIds: string[] }
  | { what: "reset"; dataset: number }
  | { what: "begin"; runId: string; profileId: string }
  | { what: "end"; runId: string; profileId: string; status: "completed" | "failed" | "skipped" }
  | { what: "endRun"; runId: string };

/** Applies the step to the model. Returns false, without a change, when it must be refused. */
export function applyStep(model: Model, step: Step): boolean {
  switch (step.what) {
    case "append":
      model.datasets[step.dataset]?.rows.push(...Array.from({ length: step.rows }, freeRow));
      return true;
    case "assign":
      return assign(model, step);
    case "unassign":
      for (const profileId of step.profileIds) leave(model, step.dataset, profileId);
      return true;
    case "reset":
      return reset(model.datasets[step.dataset]);
    case "begin":
      return begin(model, step.runId, step.profileId);
    case "end":
      return end(model, step);
    case "endRun":
      for (const key of [...model.parts.keys()].filter((part) => part.startsWith(step.runId))) {
        end(model, { runId: step.runId, profileId: key.slice(step.runId.length + 1), status: "failed" });
      }
      return true;
  }
}

function assign(
  model: Model,
  { dataset: index, profileIds, force }: Extract<Step, { what: "assign" }>,
): boolean {
  const dataset = model.datasets[index];
  if (dataset === undefined) return false;
  const slot = (profileId: string) => `${dataset.mode} ${profileId}`;
  if (!force && profileIds.some((profileId) => model.slots.has(slot(profileId)))) return false;
  const fresh = profileIds.filter((profileId) => model.slots.get(slot(profileId)) !== index);
  if (dataset.mode === "fixed" && firstFree(dataset, fresh.length).length < fresh.length) return false;
  for (const profileId of fresh) if (dataset.mode === "fixed") takeBack(model, profileId);
  const rows = firstFree(dataset, fresh.length);
  for (const [at, profileId] of fresh.entries()) {
    if (dataset.mode === "fixed") give(dataset, rows[at], profileId, null);
    model.slots.set(slot(profileId), index);
  }
  return true;
}

function leave(model: Model, index: number, profileId: string): void {
  const slot = `${model.datasets[index]?.mode} ${profileId}`;
  if (model.slots.get(slot) !== index) return;
  if (slot.startsWith("fixed")) takeBack(model, profileId);
  model.slots.delete(slot);
}

function reset(dataset: ModelDataset | undefined): boolean {
  if (dataset?.mode !== "consume") return false;
  dataset.rows = dataset.rows.map((row) => (row.state === "used" ? freeRow() : row));
  return true;
}

function begin(model: Model, runId: string, profileId: string): boolean {
  if (model.parts.get(`${runId} ${profileId}`) !== "waiting") return false;
  const dataset = model.datasets[model.slots.get(`consume ${profileId}`) ?? -1];
  if (dataset !== undefined) {
    const rows = firstFree(dataset, dataset.rowsPerRun);
    if (rows.length === 0) return false;
    for (const row of rows) give(dataset, row, profileId, runId);
  }
  model.parts.set(`${runId} ${profileId}`, "running");
  return true;
}

function end(
  model: Model,
  { runId, profileId, status }: Omit<Extract<Step, { what: "end" }>, "what">,
): boolean {
  if (!model.parts.delete(`${runId} ${profileId}`)) return true; // A second end is ignored.
  for (const { rows } of model.datasets) {
    for (const [at, row] of rows.entries()) {
      if (row.runId !== runId || row.profileId !== profileId) continue;
      rows[at] = status === "completed" ? { ...freeRow(), state: "used" } : freeRow();
    }
  }
  return true;
}

export function interrupt(model: Model): void {
  for (const [key, status] of [...model.parts]) {
    const [runId = "", profileId = ""] = key.split(" ");
    if (status === "running") end(model, { runId, profileId, status: "failed" });
  }
}
