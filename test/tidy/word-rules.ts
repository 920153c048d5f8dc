/** Words that have no place in the sources, as data, each with what to write instead. */

export interface WordRule {
  pattern: RegExp;
  instead: string;
  /** Folders or files where the word is right. */
  except?: readonly string[];
  /** Only files whose path ends so. */
  only?: string;
}

/** These two files hold the words themselves, as data and as samples. */
export const wordFiles: readonly string[] = ["test/tidy/word-rules.ts", "test/tidy/words.test.ts"];

export const wordRules: readonly WordRule[] = [
  { pattern: /\b(TODO|FIXME|XXX|HACK)\b/, instead: "do it, or write an issue" },
  { pattern: /\bnot implemented\b/i, instead: "leave the thing out until it works" },
  // The linter refuses it in code; tests hold users' scripts as text.
  { pattern: /\bas any\b/, instead: "a type, or unknown and a check", except: ["test"] },
  // actors/README.md, "How the code reads": what must cast are calls between threads and rows that become records; a route's record is made
  // one type out of many, behind the gate's checks.
  {
    pattern: /\bas unknown as\b/,
    instead: "a check that narrows the type",
    except: ["actors/kernel", "storage", "gateway/route.ts"],
  },
  { pattern: /@ts-(ignore|expect-error|nocheck)/, instead: "mend the type" },
  { pattern: /\.(only|skip|todo)\(/, instead: "run every test", only: ".test.ts" },
  { pattern: /\{\s*(only|skip|todo)\s*[:,}]/, instead: "run every test", only: ".test.ts" },
  {
    pattern: /\bconsole\.\w+\(/,
    instead: "the log that the actor was given",
    // Tests hold users' scripts as text.
    except: ["gateway/cli", "bench", "test"],
  },
  { pattern: /\bregistry\.[a-z0-9-]+\.[a-z]{2,}/, instead: "nothing: the package client knows its registry" },
  { pattern: /\b(deb|archive|security)\.[a-z]+\.(org|com)\b/, instead: "nothing: apt knows its sources" },
  { pattern: /(^|["'`\s(=])\/(work|root|home|Users)\//, instead: "a path that is right on every machine" },
  // What it takes for a file of size 0 stays with the allocator.
  {
    pattern: /\breadFile\(["'`]\/proc\//,
    instead: "procFile, which takes no 64 KiB for each",
    except: ["bench", "test", ".setup"],
  },
  // X11 has its sockets at a fixed place.
  { pattern: /["'`]\/tmp\/(?!\.X11-unix\/)/, instead: "os.tmpdir()" },
];
