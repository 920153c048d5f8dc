/** A hostile script's attempts, and the error that each must get; `script-denials-long.test.ts` makes a test of each. */

/** From a document on a browser's debugging port, a WebSocket to that port opens, because the origin is the same. */
const takeOver = (open: string) => `(async () => {
  const tab = await page.context().newPage();
  await tab.goto(variables.site);
  const at = variables.other + "/json/list";
  const frame = await (async () => { ${open} })();
  await frame.waitForLoadState();
  const text = await frame.evaluate(() => document.body.innerText);
  if (!text.includes("webSocketDebuggerUrl")) throw new Error("not there: " + text);
  return text;
})()`;

/** Takes the runner's end of the channel to its owner, as `channel`, through Node's event emitter. */
export const takesChannel = `
  const emitter = Object.getPrototypeOf(Object.getPrototypeOf(process));
  const { emit } = emitter;
  let channel = null;
  emitter.emit = function (...args) { if (args[0] === "data") channel ??= this; return emit.apply(this, args); };
  await page.evaluate("1");
  emitter.emit = emit;`;

export const attempts: Readonly<Record<string, { code: string; hears: RegExp }>> = {
  "read a file through the library": {
    code: 'await page.addScriptTag({ path: "/etc/passwd" })',
    hears: /Access to this API has been restricted/,
  },
  "write a file through the library": {
    code: "await page.screenshot({ path: variables.mark })",
    hears: /Access to this API has been restricted/,
  },
  "upload a foreign file": {
    code: 'await page.setInputFiles("#upload", "/etc/passwd")',
    hears: /Access to this API has been restricted/,
  },
  "read the token database through the library": {
    code: "await page.addScriptTag({ path: variables.database })",
    hears: /Access to this API has been restricted/,
  },
  "open the token database as a page": {
    code: 'await page.goto("file://" + variables.database)',
    hears: /scripts may not open file: URLs/,
  },
  "lead a page of its own to a file": {
    code: 'await page.evaluate((file) => { location.href = "file://" + file; return fetch("file://" + file); }, variables.database)',
    hears: /Failed to fetch|Not allowed/,
  },
  "read another profile's directory": {
    code: 'await page.addScriptTag({ path: variables.otherProfile + "/Default/Cookies" })',
    hears: /Access to this API has been restricted/,
  },
  "drop a foreign file on the page": {
    code: `await cdp.send("Input.dispatchDragEvent", {
      type: "drop", x: 1, y: 1, data: { items: [], files: ["/etc/passwd"], dragOperationsMask: 1 },
    })`,
    hears: /only files of the uploads and scratch/,
  },
  "have downloads written elsewhere": {
    code: 'await root.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: variables.otherProfile })',
    hears: /downloadPath must be an absolute path in the script's own directory/,
  },
  "upload a foreign file over CDP": {
    code: `await (async () => {
      const { root } = await cdp.send("DOM.getDocument");
      const { nodeId } = await cdp.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#upload" });
      await cdp.send("DOM.setFileInputFiles", { nodeId, files: ["/etc/passwd"] });
    })()`,
    hears: /only files of the uploads and scratch/,
  },
  "import a module": { code: 'await import("node:fs")', hears: /import of "node:fs" is refused/ },
  "import a module from made-up code": {
    code: "await new Function(\"return import('node:fs')\")()",
    hears: /refused|dynamic import callback/,
  },
  "take a built-in module": { code: 'hidden.getBuiltinModule("node:net")', hears: /is not a function/ },
  "use an internal binding": { code: 'hidden.binding("fs")', hears: /is not a function/ },
  "load a native module": { code: 'hidden.dlopen({ exports: {} }, "/x.node")', hears: /is not a function/ },
  "signal the owner": { code: "hidden.kill(Number(variables.owner), 0)", hears: /is not a function/ },
  "write a diagnostic report over a file": {
    code: "Object.assign(hidden.report, { directory: '/', filename: variables.mark }).writeReport()",
    hears: /Cannot convert undefined/,
  },
  "have a stream of the process": { code: "hidden.stdout._handle.fd", hears: /undefined/ },
  "take back a lock": {
    code: "(delete channel.constructor.prototype.connect, channel.constructor.prototype.connect = 1)",
    hears: /Cannot (delete|assign)/,
  },
  "connect over TCP": { code: "await connect(Number(variables.port))", hears: /connect is refused/ },
  "connect to a Unix socket": { code: "await connect(variables.socket)", hears: /connect is refused/ },
  "connect a handle to a Unix socket": {
    code: "new channel._handle.constructor(0).connect({}, variables.socket)",
    hears: /connect is refused/,
  },
  fetch: { code: 'await fetch("http://127.0.0.1:" + variables.port)', hears: /fetch failed/ },
  "launch a browser": {
    code: 'await chromium.launch({ executablePath: "/usr/bin/chromium" })',
    hears: /chromium\.launch is refused/,
  },
  "make a context": { code: "await browser.newContext()", hears: /newContext is refused/ },
  "make a context over CDP": {
    code: 'await root.send("Target.createBrowserContext")',
    hears: /Target.createBrowserContext is refused/,
  },
  "end the browser over CDP": { code: 'await root.send("Browser.close")', hears: /Browser.close is refused/ },
  "override the user agent": {
    code: 'await cdp.send("Network.setUserAgentOverride", { userAgent: "x" })',
    hears: /setUserAgentOverride is refused/,
  },
  "resize the tab": {
    code: "await page.setViewportSize({ width: 300, height: 300 })",
    hears: /is refused: the profile's own values/,
  },
  "open a file: page": { code: 'await page.goto("file:///etc/hostname")', hears: /Page.navigate is refused/ },
  "open a chrome: page": { code: 'await page.goto("chrome://version")', hears: /Page.navigate is refused/ },
  "open a chrome: page by another name": {
    code: 'await page.goto("about:version")',
    hears: /scripts may not open about: URLs/,
  },
  "open a port of the service": {
    code: 'await page.goto("http://localhost:" + variables.port)',
    hears: /port \d+ is the service's own/,
  },
  "open another profile's debugging port": {
    code: 'await page.goto(variables.other + "/json/list")',
    hears: /pages may not open a browser's debugging port/,
  },
  "lead a page of its own to another profile's debugging port": {
    code: `await (async () => {
      await page.evaluate((url) => { location.href = url; }, variables.other + "/json/list");
      await page.waitForURL(/json/, { timeout: 5_000 });
      return page.evaluate(() => document.body.innerText);
    })()`,
    hears: /ERR_BLOCKED_BY_CLIENT/,
  },
  "take over another profile's browser from a window": {
    code: takeOver(
      "const opened = tab.waitForEvent('popup'); await tab.evaluate((url) => void window.open(url), at); return opened;",
    ),
    hears: /not there/,
  },
  "take over another profile's browser from a frame": {
    code: takeOver("await tab.setContent('<iframe src=\"' + at + '\"></iframe>'); return tab.frames()[1];"),
    hears: /not there/,
  },
  "open the debugging port": { code: 'await page.goto(cdpUrl + "/json/version")', hears: /debugging port/ },
};
