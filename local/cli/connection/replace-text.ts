import { isUtf8 } from 'node:buffer';
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
import { command } from '../../../functions/core/text/shell-words.ts';

type Wait = (ms: number) => Promise<unknown>;

/** For another one that writes the file, which takes a tenth of a second: ten seconds in all. */
const looks = { atMost: 100, apartMs: 100 };

/** How often it is begun from the text that others have saved meanwhile, as an editor may. */
const roundsAtMost = 5;

/** A text that people edit, too, with line breaks as `\n` and without a byte order mark. Undefined: it is not there.
 *  Throws Misconfigured. */
export async function readText(file: string): Promise<string | undefined> {
  return plain(written(file, await bytesOf(file)));
}

/** Throws Misconfigured if it is clear beforehand that the text cannot be replaced. */
export async function requireReplaceable(file: string, wait: Wait = setTimeout): Promise<void> {
  const place = await placeOf(file);
  await requireWritable(file, place);
  const draft = draftOf(place);
  for (let look = 1; (await lstat(draft).catch(undefinedIfAbsent)) !== undefined; look += 1)
    await waitForOther(file, { draft, look, wait });
}

/** Replaces a text, whole or not at all, and never what others have saved meanwhile. Line breaks and byte order mark
 *  stay as they are. Throws Misconfigured.
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
      const was = written(file, before);
      const text = edit(plain(was));
      if (text === undefined) return;
      await write(draft, likeWritten(was, text)).catch(cannotBeWritten(file));
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
      await giveMode(opened, mode).catch(async (cause: unknown) => {
        await opened.close();
        await rm(draft, { force: true });
        return cannotBeWritten(file)(cause);
      });
      return opened;
    }
  }
}

/** The mask of new files may have taken something away. Some shares have one mode for all, and let nobody change it. */
async function giveMode(draft: FileHandle, mode: number | undefined): Promise<void> {
  if (mode === undefined || ((await draft.stat()).mode & 0o777) === mode) return;
  await draft.chmod(mode);
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

/** Whole: one write may take a part of it, as where a disk is full. It is on the disk before it takes the place of the
 *  file, which tells what a quota or a share refuses. */
async function write(draft: FileHandle, text: string): Promise<void> {
  await draft.truncate(0);
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await draft.write(bytes, done, bytes.length - done, done);
    done += bytesWritten;
  }
  await draft.sync();
}

/** Where symbolic links lead, which stay. */
async function placeOf(file: string): Promise<string> {
  return (await realpath(file).catch(undefinedIfAbsent).catch(cannotBeWritten(file))) ?? file;
}

async function requireWritable(file: string, place: string): Promise<void> {
  const found = await stat(place).catch(undefinedIfAbsent).catch(cannotBeWritten(file));
  // An administrator could write it all the same.
  if (found !== undefined && (found.mode & 0o222) === 0)
    throw new Misconfigured([`${file}: is read-only: ${command('chmod', 'u+w', file)} first, if it may be written`]);
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

/** Throws Misconfigured where characters would be lost. */
function written(file: string, bytes: Buffer | undefined): string | undefined {
  if (bytes === undefined || isUtf8(bytes)) return bytes?.toString('utf8');
  const lines = bytes.toString('latin1').split('\n');
  const line = lines.findIndex((each) => !isUtf8(Buffer.from(each, 'latin1'))) + 1;
  throw new Misconfigured([
    `${file}:${line}:1 (the file): is not UTF-8: convert it, as by iconv -f ISO-8859-1 -t UTF-8, and repeat`,
  ]);
}

const byteOrderMark = '\uFEFF';

function plain(text: string | undefined): string | undefined {
  const own = text?.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text;
  return own?.replaceAll('\r\n', '\n');
}

/** Line breaks are as most are in what stood there. */
function likeWritten(before: string | undefined, text: string): string {
  const count = (lineBreak: string) => (before ?? '').split(lineBreak).length - 1;
  const broken = count('\r\n') * 2 > count('\n') ? text.replaceAll('\n', '\r\n') : text;
  return before?.startsWith(byteOrderMark) ? `${byteOrderMark}${broken}` : broken;
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
