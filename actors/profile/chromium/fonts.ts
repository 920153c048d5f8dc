/** A fontconfig file that maps the font names of a system to fonts of the host. */
import { execFile } from "node:child_process";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ProfileOs } from "../../../protocol/scalars.ts";
import { replaceFile } from "../../kernel/replace-file.ts";

type Style = "sans" | "serif" | "mono";

/** By preference. The first has the widths of Calibri and Cambria, the next those of Arial, Times and Courier. */
const ours: Readonly<Record<Style, readonly string[]>> = {
  sans: ["Carlito", "Liberation Sans", "Arimo", "Noto Sans", "DejaVu Sans"],
  serif: ["Caladea", "Liberation Serif", "Tinos", "Noto Serif", "DejaVu Serif"],
  mono: ["Cousine", "Liberation Mono", "Noto Sans Mono", "DejaVu Sans Mono"],
};

/** Families that pages use to recognize a system. Linux profiles use the host's. */
const theirs: Readonly<Record<Exclude<ProfileOs, "linux">, Readonly<Record<Style, readonly string[]>>>> = {
  windows: {
    sans: [
      "Arial",
      "Calibri",
      "Candara",
      "Corbel",
      "Ebrima",
      "Franklin Gothic",
      "Franklin Gothic Medium",
      "Gadugi",
      "Leelawadee UI",
      "Malgun Gothic",
      "Microsoft Sans Serif",
      "Microsoft YaHei",
      "MS UI Gothic",
      "Nirmala UI",
      "Segoe UI",
      "Segoe UI Light",
      "Segoe UI Semibold",
      "Tahoma",
      "Trebuchet MS",
      "Verdana",
    ],
    serif: ["Cambria", "Constantia", "Georgia", "Palatino Linotype", "Sylfaen", "Times New Roman"],
    mono: ["Consolas", "Courier New", "Lucida Console"],
  },
  macos: {
    sans: [
      "Arial",
      "Avenir",
      "Avenir Next",
      "Futura",
      "Geneva",
      "Gill Sans",
      "Helvetica",
      "Helvetica Neue",
      "Hiragino Sans",
      "Lucida Grande",
      "Optima",
      "PingFang HK",
      "PingFang SC",
      "Tahoma",
      "Trebuchet MS",
      "Verdana",
    ],
    serif: [
      "American Typewriter",
      "Baskerville",
      "Didot",
      "Georgia",
      "Hoefler Text",
      "Palatino",
      "Times New Roman",
    ],
    mono: ["Andale Mono", "Courier New", "Menlo", "Monaco", "SF Mono"],
  },
};

const styles: readonly Style[] = ["sans", "serif", "mono"];

/** Path of the font file for this system, created if needed; null when the host's fonts are right. */
export async function fontsFileOf(
  os: ProfileOs,
  dir: string,
  platform = process.platform,
): Promise<string | null> {
  if (platform !== "linux" || os === "linux") return null;
  const file = join(dir, `fonts-${os}.conf`);
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere)
    await replaceFile(file, async (draft) => writeFile(draft, fontsConfig(os, await hostFamilies())));
  return file; // The service clears the directory at its start.
}

async function hostFamilies(): Promise<ReadonlySet<string>> {
  const listed = await promisify(execFile)("fc-list", [":", "family"]).catch(() => null);
  if (listed === null) return new Set(["Liberation Sans", "Liberation Serif", "Liberation Mono"]);
  return new Set(listed.stdout.split(/[,\n]/).map((family) => family.trim()));
}

/** Chromium uses only the first preferred name, and only if the host has it. */
function fontsConfig(os: Exclude<ProfileOs, "linux">, has: ReadonlySet<string>): string {
  const aliases = styles.flatMap((style) => {
    const own = ours[style].find((family) => has.has(family));
    if (own === undefined) return [];
    return theirs[os][style].map(
      (family) =>
        `<alias binding="same"><family>${family}</family><prefer><family>${own}</family></prefer></alias>`,
    );
  });
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
${aliases.join("\n")}
</fontconfig>
`;
}
