/** What a generated client does on a day at work. */
export interface DayClient {
  create(): Promise<string>;
  rename(id: string, name: string): Promise<string>;
  /** How many were taken. */
  addCookie(id: string, cookie: object): Promise<number>;
  cookieNames(id: string): Promise<string[]>;
  duplicate(id: string): Promise<string>;
  checkpoint(id: string): Promise<string>;
  restore(id: string, checkpointId: string): Promise<void>;
  exported(id: string): Promise<Uint8Array>;
  deleteForGood(id: string): Promise<void>;
  imported(base64: string): Promise<string>;
  saveScript(source: string): Promise<string>;
  run(scriptId: string, profileId: string): Promise<string>;
  status(runId: string): Promise<string>;
  files(runId: string, profileId: string): Promise<string[]>;
  fileBytes(runId: string, profileId: string, name: string): Promise<Uint8Array>;
  retry(runId: string): Promise<string>;
  /** The types of the first events after 0. */
  events(count: number): Promise<string[]>;
  /** The error of a call for a profile that is not there. */
  errorOf(id: string): Promise<string>;
}

export type MakeClient = (baseUrl: string, token: string) => DayClient;
