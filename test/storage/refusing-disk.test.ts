/** On a failing disk, reads continue and writes fail at once with the reason; with space, writes work again. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Fault } from "../../protocol/faults.ts";
import { type LastingDatabase, openLastingDatabase } from "../../storage/lasting-database.ts";
import { diskError, PowerDisk, type TestDisk, testDisk } from "./disks.ts";
import { addNote, notes, openNotes, readNotes, temporaryDir } from "./open.ts";

interface Troubled {
  database: LastingDatabase;
  /** Moves the clock to the next attempt to write. */
  later(): void;
  setBack(): void;
  warnings: string[];
  renewals: string[][];
}

async function openTroubled(disk: TestDisk | PowerDisk, dir: string): Promise<Troubled> {
  let ms = 0;
  const warnings: string[] = [];
  const renewals: string[][] = [];
  const database = await openLastingDatabase({
    disk,
    dir,
    migrations: [notes],
    journalBytesMin: 1024 * 1024,
    now: () => ms,
    renewed: (sql) => renewals.push(sql.all("SELECT body FROM notes").map((row) => String(row.body))),
    warn: (text) => warnings.push(text),
  });
  const later = () => {
    ms += 1_000;
  };
  const setBack = () => {
    ms -= 3_600_000;
  };
  return { database, later, setBack, warnings, renewals };
}

describe("a full disk", () => {
  test("fails writes at once with the reason and the path, while reads continue; with space, writes work again", async (t) => {
    const dir = temporaryDir(t);
    const disk = testDisk();
    const { database, later, warnings, renewals } = await openTroubled(disk, dir);
    await addNote(database, "kept");
    disk.refuses = () => true;
    const full = (fault: Fault) => {
      assert.equal(fault.kind, "internal");
      assert.match(fault.message, /library\.journal-1 cannot be used: the disk .+ \(mounted on .+\) is full/);
      return true;
    };
    for (const write of ["a", "b"].map((body) => addNote(database, body))) await assert.rejects(write, full);
    assert.deepEqual(await readNotes(database), ["kept"]);
    await assert.rejects(addNote(database, "c"), full);
    later();
    await assert.rejects(addNote(database, "d"), full);
    assert.deepEqual(await readNotes(database), ["kept"]);

    disk.refuses = () => false;
    later();
    await addNote(database, "after");
    assert.deepEqual(await readNotes(database), ["kept", "after"]);
    assert.deepEqual(renewals, [["kept"]]);
    assert.equal(warnings.length, 2, warnings.join("\n"));
    await database.close();
    const again = await openNotes(dir);
    assert.deepEqual(await readNotes(again), ["kept", "after"]);
    await again.close();
  });

  test("is not tried again by every write", async (t) => {
    const disk = testDisk();
    const { database, later } = await openTroubled(disk, temporaryDir(t));
    let tried = 0;
    disk.refuses = () => {
      tried += 1;
      return true;
    };
    await assert.rejects(addNote(database, "a"));
    await assert.rejects(addNote(database, "b"));
    tried = 0;
    later();
    const writes = Array.from({ length: 50 }, () => addNote(database, "c"));
    for (const write of writes) await assert.rejects(write, /is full/);
    assert.equal(tried, 1);
    await database.close();
  });

  test("is tried again also after the clock is set back", async (t) => {
    const disk = testDisk();
    const { database, setBack } = await openTroubled(disk, temporaryDir(t));
    disk.refuses = () => true;
    await assert.rejects(addNote(database, "refused"), /is full/);
    disk.refuses = () => false;
    setBack();
    await addNote(database, "kept");
    assert.deepEqual(await readNotes(database), ["kept"]);
    await database.close();
  });

  test("without space for a large write still accepts a small one", async (t) => {
    const disk = testDisk();
    const { database } = await openTroubled(disk, temporaryDir(t));
    disk.sizeMax = 1024 * 1024;
    await assert.rejects(addNote(database, "x".repeat(2 * 1024 * 1024)), /is full/);
    await addNote(database, "small");
    assert.deepEqual(await readNotes(database), ["small"]);
    await database.close();
  });

  test("can be opened and read", async (t) => {
    const dir = temporaryDir(t);
    const disk = testDisk();
    const first = await openNotes(dir);
    await addNote(first, "kept");
    await first.close();
    disk.sizeMax = 1024 * 1024;
    disk.refuses = (name) => name.endsWith(".new");
    const { database } = await openTroubled(disk, dir);
    assert.deepEqual(await readNotes(database), ["kept"]);
    await addNote(database, "in the space of the journal");
    await database.close();
  });
});

describe("a sync that fails", () => {
  test("fails the waiting writes, which stay absent after the next start although the file contains them", async (t) => {
    const dir = temporaryDir(t);
    const disk = testDisk();
    const { database, later } = await openTroubled(disk, dir);
    await addNote(database, "kept");
    disk.failsSync = () => true;
    await assert.rejects(addNote(database, "refused"), /fails \(EIO\)/);
    assert.deepEqual(await readNotes(database), ["kept"]);
    disk.failsSync = () => false;
    later();
    await addNote(database, "after");
    assert.deepEqual(await readNotes(database), ["kept", "after"]);
    await database.close();
    const again = await openNotes(dir);
    assert.deepEqual(await readNotes(again), ["kept", "after"]);
    await again.close();
  });

  test("does not fail a read that saw a failed write: the read runs again", async (t) => {
    const disk = testDisk();
    const { database } = await openTroubled(disk, temporaryDir(t));
    await addNote(database, "kept");
    let fail = () => {};
    disk.failsSync = () => true;
    disk.hold = new Promise((resolve) => {
      fail = resolve;
    });
    const refused = addNote(database, "refused");
    const read = readNotes(database);
    fail();
    await assert.rejects(refused, { kind: "internal" });
    assert.deepEqual(await read, ["kept"]);
    await database.close();
  });
});

test("a disk that cannot be read fails all calls at once, and is read again later", async (t) => {
  const disk = testDisk();
  const { database, later } = await openTroubled(disk, temporaryDir(t));
  await addNote(database, "kept");
  const list = disk.list;
  disk.list = () => {
    throw diskError("EACCES");
  };
  disk.failsSync = () => true;
  await assert.rejects(addNote(database, "refused"), { kind: "internal" });
  await assert.rejects(readNotes(database), /no permission \(EACCES\)/);
  Object.assign(disk, { list, failsSync: () => false });
  later();
  assert.deepEqual(await readNotes(database), ["kept"]);
  await addNote(database, "after");
  await database.close();
});

test("whichever steps fail, answered writes are kept and failed ones are not, also after a power cut", async () => {
  const dir = "/disk";
  const life = async (disk: PowerDisk, what: string) => {
    const { database, later } = await openTroubled(disk, dir);
    const answered: string[] = [];
    const refused: string[] = [];
    const attempt = async (body: string) => {
      later();
      await addNote(database, body).then(
        () => answered.push(body),
        () => refused.push(body),
      );
    };
    for (const body of ["a", "b", "c"]) await attempt(body);
    await database.snapshot().catch(() => {});
    await Promise.all(["d", "e", "f"].map(attempt));
    later();
    const snapshot = database.snapshot().catch(() => {});
    await Promise.all(["g", "h"].map(attempt));
    await snapshot;
    disk.refuses = () => undefined;
    await attempt("i");
    const found = await readNotes(database);
    assert.deepEqual(
      [...found].sort(),
      answered.sort(),
      `${what}: found and answered differ; refused: ${refused}`,
    );
    assert.ok(answered.includes("i"), `${what}: writes work again`);
    const cut = await openNotes(dir, { disk: disk.restart({ contents: "lost", names: "lost" }) });
    assert.deepEqual(await readNotes(cut), found, `${what}, after a power cut`);
  };
  const whole = new PowerDisk();
  await life(whole, "nothing refused");
  const first = new PowerDisk();
  await openTroubled(first, dir);
  for (let step = first.steps + 1; step <= whole.steps; step++) {
    const steps = [1, 3, 1_000][step % 3] ?? 1;
    const disk = new PowerDisk();
    disk.refuses = (at) => (at >= step && at < step + steps ? diskError("EIO") : undefined);
    await life(disk, `${steps} from step ${step}`);
  }
});
