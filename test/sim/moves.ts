/** Random user calls; each lists the facts it changes. */
import { appendRows, assign, createDataset, resetDataset } from "./moves/datasets.ts";
import type { Move } from "./moves/move.ts";
import { createProfiles, launch, outOfTrash, setVariables, stop, trash } from "./moves/profiles.ts";
import { cancel, readRun, run, saveScript } from "./moves/runs.ts";
import { createSchedule, deleteSchedule, runNow, turnSchedule } from "./moves/schedules.ts";
import { changeSettings, maintain, tokens } from "./moves/upkeep.ts";

export const moves: readonly [number, Move][] = [
  [3, createProfiles],
  [6, launch],
  [4, stop],
  [3, saveScript],
  [8, run(false)],
  [6, run(true)],
  [3, cancel],
  [5, readRun],
  [3, createSchedule],
  [2, turnSchedule],
  [2, runNow],
  [1, deleteSchedule],
  [3, createDataset],
  [3, appendRows],
  [5, assign],
  [1, resetDataset],
  [2, trash],
  [2, outOfTrash],
  [2, changeSettings],
  [2, setVariables],
  [3, tokens],
  [1, maintain],
];
