/** The application's commands about unpacked extensions. */
import { resolve } from "node:path";
import { type CommonFlags, write } from "./commands.ts";
import { table } from "./output.ts";
import { withApplication } from "./reach.ts";

export async function extensionAdd(dir: string, flags: CommonFlags): Promise<void> {
  const added = await withApplication(flags, (api) => api.addExtension({ dir: resolve(dir) }));
  write(
    flags,
    added,
    ({ name, version, extension_id: id }) => `Extension ${name} ${version} is added: ${id}`,
  );
}

export async function extensionList(flags: CommonFlags): Promise<void> {
  const extensions = await withApplication(flags, (api) => api.listExtensions({}));
  write(flags, extensions, () =>
    table(
      ["ID", "NAME", "VERSION", "DIRECTORY", ""],
      extensions.map((one) => [one.extension_id, one.name, one.version, one.dir, one.error ?? ""]),
    ),
  );
}

export async function extensionRemove(extensionId: string, flags: CommonFlags): Promise<void> {
  await withApplication(flags, (api) => api.removeExtension({ extensionId }));
  write(flags, { extension_id: extensionId, removed: true }, () => `Extension ${extensionId} is removed.`);
}
