/** Every limit of the service in one table; the unit stands last in the name. */
export const limits = {
  /** protocol/README.md, "Limits". */
  profilesPerCreateMax: 50,
  /** protocol/README.md, "Limits": per token in a rolling window. */
  expensiveCallsMax: 30,
  expensiveWindowMs: 60_000,
  /** protocol/README.md, "Limits". */
  unapprovedProfilesMax: 3,
  /** protocol/README.md, "Limits". */
  runsListDefault: 20,
  runsListMax: 100,
  /** Runs are kept this long, and the newest ones for ever. */
  runsKeptMs: 30 * 24 * 60 * 60_000,
  runsKeptMin: 10_000,
  /** Characters of an Idempotency-Key. */
  idempotencyKeyCharsMax: 255,
  /** protocol/README.md, "Page driving". */
  evaluateResultBytesMax: 64 * 1024,
  evaluateTimeoutMs: 10_000,
  /** protocol/README.md, "Idle stop": 30 minutes unless the setting says otherwise. */
  idleTimeoutSecs: 30 * 60,
  /** actors/profile/README.md, "The bridge": an echo service is given this long; a proxy, whatever it does, the other; so many at a time. */
  echoTimeoutMs: 5_000,
  proxyMeasureTimeoutMs: 6_000,
  proxyMeasuresAtOnce: 200,
  /** Bad proxy lines that a fault lists. */
  badLinesNamedMax: 5,
  /** gateway/README.md, "Order of checks" 6: a larger body answers 413. */
  bodyBytesMax: 16 * 1024 * 1024,
  /** Of every body of JSON, whoever sends it: what is deeper, or has more keys, is refused before it is parsed. */
  jsonLevelsMax: 100,
  jsonKeysMax: 100_000,
  /** A request's line and headers together; more answers 431. */
  requestHeadBytesMax: 16 * 1024,
  /** Until the headers are whole, and how slowly a body may come: then 408. */
  requestHeadMs: 15_000,
  requestBodyWindowMs: 10_000,
  requestBodyBytesPerWindowMin: 10 * 1024,
  /** Text of an MCP tool's result; the structured content beside it is whole. */
  mcpTextCharsMax: 25_000,
  /** Node ids remembered for one browser; the oldest are forgotten first. */
  nodeIdsMax: 200_000,
  /** How long a verb waits for the navigation it began to be parsed, before it answers. */
  navigationSettleMs: 10_000,
  /** Keys pressed one by one; what is longer is inserted after them as one piece. */
  typedKeysMax: 1_000,
  /** protocol/README.md, "Page driving". */
  navigateTimeoutMs: 60_000,
  /** Of a verb without a time of its own, from its turn: it may wait for a navigation and a tab that it set off. */
  pageVerbTimeoutMs: 40_000,
  /** What a verb with a time of its own may take longer, to begin and to say where the page is. */
  pageAnswerMs: 5_000,
  waitForElementDefaultMs: 10_000,
  waitForElementMaxMs: 120_000,
  scrollPixelsMax: 100_000,
  /** protocol/README.md, "Scripts, runs". */
  staggerMaxMs: 600_000,
  runProfileTimeoutMs: 30 * 60_000,
  /** A browser that a run opened is stopped by the run; this ends it when the run's thread has died meanwhile. */
  runBrowserIdleSecs: 60,
  variableValueBytesMax: 64 * 1024,
  /** protocol/README.md, "Datasets". */
  datasetValueBytesMax: 64 * 1024,
  rowsPerRunDefault: 1,
  datasetPageDefault: 100,
  /** A page of rows ends early when their values come to more: what one body can bring, one page can hold. */
  datasetPageBytesMax: 16 * 1024 ** 2,
  /** protocol/README.md, "The pool": memory kept free and memory counted per browser when `max` is worked out. */
  memoryReservedBytes: 1024 ** 3,
  memoryPerBrowserBytes: 250 * 1024 ** 2,
  /** actors/contract/README.md, "Rules", rule `size`. */
  scriptSourceBytesMax: 512 * 1024,
  scriptLineCharsMax: 20_000,
  /** Levels of the syntax tree: a chain of calls or of `+` has one a link. What strips types overflows a thread at 4,000. */
  scriptNestingMax: 1_000,
  violationsMax: 100,
  /** actors/dsl/README.md, "The document": a document of the DSL, as JSON; objects and lists inside each other, in it. */
  dslDocumentBytesMax: 1024 ** 2,
  dslNestingMax: 200,
  /** actors/script/README.md, "Sandbox": what one script run may produce and use. */
  scriptResultBytesMax: 64 * 1024,
  /** A message of a runner: its longest is a row of output, whose quotes and control characters are escaped once more. */
  scriptMessageCharsMax: 16 * 1024 ** 2,
  scriptLogLineCharsMax: 8 * 1024,
  scriptLogBytesMax: 1024 * 1024,
  scriptLogTailLinesMax: 200,
  scriptOutputRowsMax: 1_000,
  scriptMemoryUnapproved: { heapMb: 256, rssBytesMax: 512 * 1024 ** 2 },
  scriptMemoryApproved: { heapMb: 512, rssBytesMax: 768 * 1024 ** 2 },
  scriptStartTimeoutMs: 30_000,
  scriptAbortGraceMs: 2_000,
  scriptIpcMessageBytesMax: 64 * 1024 ** 2,
  scriptOutputBytesMax: 4 * 1024 ** 2,
  /** What of its browser's messages a script may leave unread; two of the longest. */
  scriptUnreadBytesMax: 128 * 1024 ** 2,
  /** Private writable memory of a runner (RLIMIT_DATA): stops at once what the poll of its resident size would see a second late. */
  scriptDataBytesMax: 1024 ** 3,
  scriptMemoryPollMs: 1_000,
  scriptErrorCharsMax: 4 * 1024,
  scriptFilesMax: 1_000,
  /** What a script's own directories hold while it runs, Chromium's downloads included; one file alone is stopped by the kernel. */
  scratchBytesMax: 256 * 1024 ** 2,
  /** Files, directories and links in them. */
  scratchEntriesMax: 2_000,
  scratchPollMs: 200,
  /** What one run keeps of its scripts' files, over all its profiles. */
  runFilesBytesMax: 1024 ** 3,
  /** Files of ended runs: kept so long, and so many MiB of all runs together, unless the settings say otherwise. */
  runFilesKeptDays: 30,
  runFilesMbMax: 5 * 1024,
  /** The stop ladder of a browser (actors/profile/README.md, "The browser process"): how long each rung is given. */
  browserCloseGraceMs: 4_000,
  /** And the first rung, while the browser works: on a busy machine what it writes takes longer. */
  browserClosePatience: { usualMs: 4_000, stillMs: 4_000, longestMs: 20_000, workMaxMs: 20_000 },
  /** Of the first rung: how long pages may take to close and their storage to be on disk. */
  browserKeepStorageMs: 3_000,
  browserTermGraceMs: 1_500,
  browserKillGraceMs: 10_000,
  /** How long a launch waits for the browser that a killed service has left on the profile, before it ends it. */
  browserOrphanGraceMs: 10_000,
  /**
   * A browser that starts is waited for so long, and from then on while it has some of the processor: on a busy machine it is slow.
   * A step of the launch that works on files, and what undoes a launch, have limits of their own.
   */
  launchPatience: { usualMs: 45_000, stillMs: 15_000, longestMs: 240_000, workMaxMs: 60_000 },
  launchFilesMs: 30_000,
  launchUndoMs: 10_000,
  /** All of a launch, two starts of a browser (its proxy's exit is in another zone) and what the engine is asked included. */
  launchLongestMs: 600_000,
  /** The part of a run whose browser never came tries so often, and so long after. */
  launchTriesMax: 3,
  launchAgainMs: 1_000,
  /** How long a launch waits for what its proxy's exit is, beside the browser's start, and of that for one echo service. */
  exitAtLaunchMs: 6_000,
  echoAtLaunchMs: 3_000,
  /** How long a load that failed is given to learn from the proxy why. */
  proxyReasonMs: 5_000,
  /** Clients on `cdpUrl`: so many connections, so long a message of one, so much that one may leave unread before it is cut off. */
  clientConnectionsMax: 256,
  clientMessageBytesMax: 100 * 1024 ** 2,
  clientUnreadBytesMax: 128 * 1024 ** 2,
  /** What may wait for the browser before the client that writes it is paused. */
  clientBacklogBytesMax: 8 * 1024 ** 2,
  /** A DevTools command that has no deadline of its own; below `callDeadlineMs`, so that the page's fault reaches the caller. */
  cdpCallTimeoutMs: 15_000,
  /** Maps and lists inside each other in a DevTools command (Chromium refuses more than 300 in a value) and in what a browser says. */
  cdpCommandLevelsMax: 320,
  cdpAnswerLevelsMax: 2_000,
  /** Calls between threads: the default deadline, and how many may wait in one mailbox. */
  callDeadlineMs: 30_000,
  mailboxCallsMax: 4_096,
  pageCallsMax: 256,
  /** The stop of the whole service: requests in hand end within the first, browsers are closed until the second and then killed. */
  requestsGraceMs: 3_000,
  serviceKillMs: 40_000,
  serviceStopMs: 60_000,
  /** The journal is folded into a snapshot when it is larger than this and than the last snapshot (storage/README.md, "Durability"). */
  journalBytesMin: 1024 ** 2,
} as const;
