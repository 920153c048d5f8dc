/** The commands of who has installed the package: the browser, the demo, the service that the system keeps running, updates. */
import type { Command } from "commander";
import { chromiumInstall, type DemoFlags, demo } from "./first-start.ts";
import { common, type Outcome } from "./grammar-parts.ts";
import { serviceInstall, serviceStatus, serviceUninstall } from "./kept-running.ts";
import { update } from "./update-command.ts";

/** Beside the operations of the same group. */
export function serviceGrammar(service: Command): void {
  common(service.command("install"))
    .description(
      "start the service at login and again after a failure, by systemd, launchd or the task scheduler",
    )
    .action(serviceInstall);
  common(service.command("uninstall"))
    .description("stop that service and start it no more; the data stays")
    .action(serviceUninstall);
  common(service.command("status"))
    .description("show whether the system starts the service, and whether it runs")
    .action(serviceStatus);
}

export function firstGrammar(program: Command, outcome: Outcome): void {
  const chromium = program.command("chromium").description("the browser that profiles use");
  common(chromium.command("install"))
    .description("install a Chromium for this user if none is found, and print its path")
    .action(chromiumInstall);
  program
    .command("demo")
    .description("show profiles that log in to a small shop, search and fill a cart, with data of their own")
    .option("--profiles <n>", "how many (default: 8)")
    .option("--concurrency <n>", "how many at the same time (default: 4)")
    .option("--output <dir>", "folder of the screenshots (default: demo-output)")
    .action(async (flags: DemoFlags) => {
      outcome.code = await demo(flags);
    });
  common(program.command("update"))
    .description("say whether a newer release is there and how to get it; changes nothing")
    .action(update);
}
