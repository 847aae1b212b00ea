import { rename, rm, stat, writeFile } from 'node:fs/promises';

/** Whole or not at all, and for its owner alone, also in place of a file that others may read. What is no file, as
 *  `/dev/stdout`, is written to. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const before = await stat(file).catch(() => undefined);
  if (before !== undefined && !before.isFile()) return writeFile(file, text);
  const draft = `${file}.${process.pid}.new`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
}
