/** Runs commands: quietly, keeping the last lines of output, or with the terminal. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./paths.mjs";

/**
 * Runs a command to its end without input.
 * @returns {Promise<{ok: boolean, why: string, tail: string[], stdout: string}>} `why` says how
 *   it ended, `tail` holds the last 16 KiB of what it printed, without blank lines.
 */
export function runQuiet(command, args, { env = process.env, shell = false, cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, shell, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
      output = (output + text).slice(-16_384);
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      output = (output + text).slice(-16_384);
    });
    const settle = (ok, why) => {
      const lines = output.split("\n").filter((line) => line.trim() !== "");
      resolve({ ok, why, tail: lines, stdout });
    };
    child.once("error", (error) => settle(false, `could not be started: ${error.message}`));
    child.once("close", (code, signal) => settle(code === 0, `ended with ${signal ?? `code ${code}`}`));
  });
}

export const mayUseApt = () =>
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  existsSync("/etc/debian_version") &&
  existsSync("/usr/bin/apt-get");

const parentLookMs = 250;

/** npm passes SIGTERM to its shell, which ends without passing it on to us. A new parent process is the only sign. */
function onOrphaned(act) {
  if (process.env.npm_lifecycle_event === undefined) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, parentLookMs);
  return () => clearInterval(timer);
}

/**
 * Runs a command with this terminal, passes on signals, and returns its exit code. The terminal sends Ctrl-C to the whole foreground
 * group, so npm's second SIGINT must not reach the child.
 */
export function runLoud(command, args, { env = process.env } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "inherit", env });
    const forward = (signal) => {
      if (signal === "SIGINT" && process.stdin.isTTY) return;
      child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    const stopLooking = onOrphaned(() => child.kill("SIGTERM"));
    const settle = (code) => {
      stopLooking();
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    };
    child.once("error", (error) => {
      process.stderr.write(`${command} could not be started: ${error.message}\n`);
      settle(127);
    });
    child.once("exit", (code, signal) => settle(code ?? 128 + (signalNumbers[signal] ?? 1)));
  });
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };

/** The script of a package's command, so that it runs with this Node on every platform. */
export function packageCommand(packageName, commandName = packageName) {
  const manifest = join(root, "node_modules", packageName, "package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  return join(dirname(manifest), typeof bin === "string" ? bin : bin[commandName]);
}
