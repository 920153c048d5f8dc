/** The limits that callers meet; the unit is last in the name. The contract's are in protocol/README.md, "Limits". */
export const limits = {
  profilesPerCreateMax: 50,
  /** Per token, in a rolling window. */
  expensiveCallsMax: 30,
  expensiveWindowMs: 60_000,
  unapprovedProfilesMax: 3,
  runsListDefault: 20,
  runsListMax: 100,
  /** Runs are kept this long, and the newest ones for ever. */
  runsKeptMs: 30 * 24 * 60 * 60_000,
  runsKeptMin: 10_000,
  idempotencyKeyCharsMax: 255,
  evaluateResultBytesMax: 64 * 1024,
  /** Dialogs that a verb reports, and characters of each. */
  dialogsMax: 200,
  dialogCharsMax: 1_000,
  evaluateTimeoutMs: 10_000,
  /** Default of a setting (protocol/README.md, "Idle stop"). */
  idleTimeoutSecs: 30 * 60,
  freezeAfterSecs: 60,
  /** One echo service, a whole measurement, and measurements at once (actors/profile/README.md, "The bridge"). */
  echoTimeoutMs: 5_000,
  proxyMeasureTimeoutMs: 6_000,
  proxyMeasuresAtOnce: 200,
  badLinesNamedMax: 5,
  /** A larger body is answered 413 (gateway/README.md, "Order of checks" 6). */
  bodyBytesMax: 16 * 1024 * 1024,
  /** JSON beyond these is refused before it is parsed. */
  jsonLevelsMax: 100,
  jsonKeysMax: 100_000,
  /** Request line and headers together; more is answered 431. */
  requestHeadBytesMax: 16 * 1024,
  /** For complete headers, and for a part of a body; slower is answered 408. */
  requestHeadMs: 15_000,
  requestBodyWindowMs: 10_000,
  requestBodyBytesPerWindowMin: 10 * 1024,
  /** Structured content is not cut. */
  mcpTextCharsMax: 25_000,
  /** Per browser; the oldest are dropped first. */
  nodeIdsMax: 200_000,
  /** For the parsing of a navigation that a verb began. */
  navigationSettleMs: 10_000,
  /** Keys pressed one by one; the rest of a text is inserted at once. */
  typedKeysMax: 1_000,
  /** All pauses between the keys of one text. */
  typedDelayMaxMs: 30_000,
  navigateTimeoutMs: 60_000,
  /** For verbs without a timeout of their own; they may wait for a navigation or a tab that they opened. */
  pageVerbTimeoutMs: 40_000,
  /** Beyond a verb's own timeout, to begin and to report the page. */
  pageAnswerMs: 5_000,
  waitForElementDefaultMs: 10_000,
  waitForElementMaxMs: 120_000,
  scrollPixelsMax: 100_000,
  screenshotSidePixelsMax: 16_384,
  screenshotPixelsMax: 50_000_000,
  downloadsMax: 200,
  downloadsBytesMax: 1024 * 1024 * 1024,
  pdfBytesMax: 64 * 1024 * 1024,
  /** What models take: 5 MB in base64. */
  mcpImageBytesMax: 3_700_000,
  staggerMaxMs: 600_000,
  runProfileTimeoutMs: 30 * 60_000,
  /** Normally the run stops its browser; this ends it when the run's thread has died. */
  runBrowserIdleSecs: 60,
  variableValueBytesMax: 64 * 1024,
  datasetValueBytesMax: 64 * 1024,
  rowsPerRunDefault: 1,
  eventsKeptMax: 10_000,
  launchWaitMsMax: 600_000,
  profileArchiveBytesMax: 2 * 1024 ** 3,
  datasetSliceDefault: 100,
  /** A slice of rows ends early beyond this size. */
  datasetSliceBytesMax: 16 * 1024 ** 2,
  /** For the pool's `max` (protocol/README.md, "The pool"). */
  memoryReservedBytes: 1024 ** 3,
  memoryPerBrowserBytes: 250 * 1024 ** 2,
  /** Blank pages, which weigh less than this, say little. */
  memoryPerBrowserLeastBytes: 120 * 1024 ** 2,
  /** Kept free beside a browser that starts (the same section). */
  memoryKeptBytes: 128 * 1024 ** 2,
  memoryStalledPercentMax: 20,
  /** Rule `size` in actors/contract/README.md, "Rules". */
  scriptSourceBytesMax: 512 * 1024,
  scriptLineCharsMax: 20_000,
  /** Of the syntax tree: each link of a chain of calls or `+` is a level. The type stripper overflows the stack on deeper trees. */
  scriptNestingMax: 1_000,
  violationsMax: 100,
  /** A DSL document as JSON, and its nesting (actors/dsl/README.md, "The document"). */
  dslDocumentBytesMax: 1024 ** 2,
  dslNestingMax: 200,
  /** What one script run may produce and use (actors/script/README.md, "Sandbox"). */
  scriptResultBytesMax: 64 * 1024,
  /** Fits the longest message: a row of output, whose quotes and control characters are escaped again. */
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
  /** Two of the longest messages from the browser. */
  scriptUnreadBytesMax: 128 * 1024 ** 2,
  /** RLIMIT_DATA of a runner, which acts at once; the poll of its memory may be a second late. */
  scriptDataBytesMax: 1024 ** 3,
  scriptMemoryPollMs: 1_000,
  scriptErrorCharsMax: 4 * 1024,
  scriptFilesMax: 1_000,
  /** A script's directories while it runs, downloads included; the kernel limits a single file. */
  scratchBytesMax: 256 * 1024 ** 2,
  scratchEntriesMax: 2_000,
  scratchPollMs: 200,
  /** A handoff to the user; `all`: how long a run's timeout is paused for its handoffs. */
  handoffMs: { least: 1_000, usual: 300_000, most: 600_000, all: 3_600_000, messageCharsMax: 500 },
  extensionsMax: 50,
  /** Webhooks, the events that wait for one receiver, and how long one is tried. */
  webhooksMax: 20,
  webhookWaitingMax: 20_000,
  webhookTriedMs: 24 * 60 * 60_000,
  webhookAnswerMs: 15_000,
  /** Longest pause between two attempts. */
  webhookPauseMaxMs: 60 * 60_000,
  /** Files that one run keeps, over all its profiles. */
  runFilesBytesMax: 1024 ** 3,
  /** Defaults for files of ended runs, all runs together. */
  runFilesKeptDays: 30,
  runFilesMbMax: 5 * 1024,
  /** Steps of stopping a browser (actors/profile/README.md, "The browser process"). */
  browserCloseGraceMs: 4_000,
  /** The first step, while the browser still works. */
  browserClosePatience: { usualMs: 4_000, stillMs: 4_000, longestMs: 20_000, workMaxMs: 20_000 },
  /** Within the first step: closing pages and writing their storage. */
  browserKeepStorageMs: 3_000,
  browserTermGraceMs: 1_500,
  browserKillGraceMs: 10_000,
  /** A launch waits this long for a browser that a killed service left, then ends it. */
  browserOrphanGraceMs: 10_000,
  /** How long a starting browser may take, and how long while it uses the processor. Steps with files have limits of their own. */
  launchPatience: { usualMs: 45_000, stillMs: 15_000, longestMs: 240_000, workMaxMs: 60_000 },
  launchFilesMs: 30_000,
  launchUndoMs: 10_000,
  /** A whole launch, with a second start of the browser and questions to the engine. */
  launchLongestMs: 600_000,
  /** Attempts for a browser that did not come up, and the pause between them. */
  launchTriesMax: 3,
  launchAgainMs: 1_000,
  /** How long a launch waits for the exit of its proxy, and for one echo service. */
  exitAtLaunchMs: 6_000,
  echoAtLaunchMs: 3_000,
  /** How long a failed load waits for the proxy's reason. */
  proxyReasonMs: 5_000,
  /** Clients on `cdpUrl`. One that leaves more unread is cut off. */
  clientConnectionsMax: 256,
  clientMessageBytesMax: 100 * 1024 ** 2,
  clientUnreadBytesMax: 128 * 1024 ** 2,
  /** Data that waits for the browser before its client is paused. */
  clientBacklogBytesMax: 8 * 1024 ** 2,
  /** Default deadline of DevTools commands; below `callDeadlineMs`, so that the caller gets the page's fault. */
  cdpCallTimeoutMs: 15_000,
  /** Nesting in a DevTools command, where Chromium refuses more than 300 in a value, and in the browser's messages. */
  cdpCommandLevelsMax: 320,
  cdpAnswerLevelsMax: 2_000,
  /** Calls between threads: default deadline, and calls waiting in a mailbox. */
  callDeadlineMs: 30_000,
  mailboxCallsMax: 4_096,
  pageCallsMax: 256,
  /** Stop of the service: requests end, then browsers are closed, then killed. */
  requestsGraceMs: 3_000,
  serviceKillMs: 40_000,
  serviceStopMs: 60_000,
  /** A journal larger than this and than the last snapshot becomes a new snapshot (storage/README.md, "Durability"). */
  journalBytesMin: 1024 ** 2,
  /** A trace of DevTools traffic: of one message, unread lines in memory, and the file that a command writes. */
  cdpTraceBodyCharsMax: 2 * 1024,
  cdpTraceBufferCharsMax: 4 * 1024 ** 2,
  cdpTraceFileBytesMax: 100 * 1024 ** 2,
  /** The log's file: its size, how many are kept, and the text that may wait for the disk. */
  logFileBytesMax: 5 * 1024 ** 2,
  logFilesMax: 5,
  logWaitingCharsMax: 1024 ** 2,
  logRetryMs: 10_000,
} as const;
