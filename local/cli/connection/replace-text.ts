import {
  access,
  constants,
  type FileHandle,
  lstat,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Misconfigured } from '../../../functions/core/text/errors.ts';

type Wait = (ms: number) => Promise<unknown>;

/** For another one that writes the file, which takes a tenth of a second: ten seconds in all. */
const looks = { atMost: 100, apartMs: 100 };

/** How often it is begun from the text that others have saved meanwhile, as an editor may. */
const roundsAtMost = 5;

/** A text that people edit, too. Undefined: it is not there. Throws Misconfigured. */
export async function readText(file: string): Promise<string | undefined> {
  return decoded(await bytesOf(file));
}

/** Throws Misconfigured if it is clear beforehand that the text cannot be replaced. */
export async function requireReplaceable(file: string, wait: Wait = setTimeout): Promise<void> {
  const place = await placeOf(file);
  await requireWritable(file, place);
  const draft = draftOf(place);
  for (let look = 1; (await lstat(draft).catch(undefinedIfAbsent)) !== undefined; look += 1)
    await waitForOther(file, { draft, look, wait });
}

/** Replaces a text, whole or not at all, and never what others have saved meanwhile. Throws Misconfigured.
 *  @param edit the new text; undefined: it stays. Is called again where it was changed meanwhile */
export async function replaceText(
  file: string,
  edit: (text: string | undefined) => string | undefined,
  wait: Wait = setTimeout,
): Promise<void> {
  const place = await placeOf(file);
  await requireWritable(file, place);
  const draft = await openDraft(file, { place, wait });
  let isDone = false;
  try {
    for (let round = 1; !isDone; round += 1) {
      if (round > roundsAtMost)
        throw new Misconfigured([`${file}: was changed again and again meanwhile: close what writes it, and repeat`]);
      const before = await bytesOf(file);
      const text = edit(decoded(before));
      if (text === undefined) return;
      await write(draft, text).catch(cannotBeWritten(file));
      if (!isSame(before, await bytesOf(file))) continue;
      await rename(draftOf(place), place).catch(cannotBeWritten(file));
      isDone = true;
    }
  } finally {
    await draft.close();
    // Where it has taken the place of the file, that of another one may be there already.
    if (!isDone) await rm(draftOf(place), { force: true });
  }
}

/** What is written before it takes the place of the file. While it is there, nobody else of us writes. */
function draftOf(place: string): string {
  return `${place}.lock`;
}

/** Nobody can read in it what the file is kept from. */
async function openDraft(
  file: string,
  { place, wait }: { readonly place: string; readonly wait: Wait },
): Promise<FileHandle> {
  const draft = draftOf(place);
  for (let look = 1; ; look += 1) {
    const before = await stat(place).catch(undefinedIfAbsent);
    const mode = before === undefined ? undefined : before.mode & 0o777;
    const opened = await open(draft, 'wx', mode).catch((cause: unknown) => {
      if (codeOf(cause) === 'EEXIST') return undefined;
      return cannotBeWritten(file)(cause);
    });
    if (opened === undefined) await waitForOther(file, { draft, look, wait });
    else {
      // The mask of new files may have taken something away.
      if (mode !== undefined) await opened.chmod(mode);
      return opened;
    }
  }
}

interface Waiting {
  readonly draft: string;
  readonly look: number;
  readonly wait: Wait;
}

async function waitForOther(file: string, { draft, look, wait }: Waiting): Promise<void> {
  if (look >= looks.atMost)
    throw new Misconfigured([
      `${file}: ${draft} is there, so another connect or disconnect is writing it, or was ended at that: repeat it, and if none runs any more, delete ${draft} first`,
    ]);
  await wait(looks.apartMs);
}

async function write(draft: FileHandle, text: string): Promise<void> {
  await draft.truncate(0);
  await draft.write(text, 0);
}

/** Where symbolic links lead, which stay. */
async function placeOf(file: string): Promise<string> {
  return (await realpath(file).catch(undefinedIfAbsent).catch(cannotBeWritten(file))) ?? file;
}

async function requireWritable(file: string, place: string): Promise<void> {
  const found = await stat(place).catch(undefinedIfAbsent).catch(cannotBeWritten(file));
  for (const each of [...(found === undefined ? [] : [place]), dirname(place)])
    await access(each, constants.W_OK).catch(cannotBeWritten(file));
}

async function bytesOf(file: string): Promise<Buffer | undefined> {
  return await readFile(file)
    .catch(undefinedIfAbsent)
    .catch((cause: unknown) => {
      throw new Misconfigured([`${file}: cannot be read`], { cause });
    });
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

function decoded(bytes: Buffer | undefined): string | undefined {
  return bytes?.toString('utf8');
}

function undefinedIfAbsent(cause: unknown): undefined {
  if (codeOf(cause) === 'ENOENT') return undefined;
  throw cause;
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

function cannotBeWritten(file: string): (cause: unknown) => never {
  return (cause) => {
    throw new Misconfigured([`${file}: cannot be written`], { cause });
  };
}
