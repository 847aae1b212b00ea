import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Occasion, RemoteRef } from '../../core/alerts/incident.ts';
import type { OutgoingMessage } from '../../core/alerts/outgoing.ts';
import type { Messenger, SendOutcome } from '../../ports/messages.ts';
import type { Clock } from '../../ports/time.ts';

export interface OutboxOptions {
  readonly directory: string;
  readonly clock: Clock;
}

/** One message in the directory: `<name>.json` (Slack), `<name>.html` and `<name>.txt` (mail). */
export interface OutboxEntry {
  /** `0001`; its replies are `0001-r01`, `0001-r02`. */
  readonly name: string;
  readonly deliveryId: string;
  readonly thread: string | undefined;
  readonly occasion: Occasion;
  readonly subject: string;
  readonly text: string;
  readonly writtenAt: string;
  readonly edits: number;
}

/** Messages as files, for a machine without Slack and mail: what would have been sent. Edits and threads work as in
 *  Slack, so the whole life of an incident can be followed. One process writes; its calls wait for each other. */
export function outboxMessenger(options: OutboxOptions): Messenger {
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const next = turn.then(act, act);
    turn = next.catch(() => undefined);
    return next;
  };
  return {
    post: (message) => inTurn(() => add(options, message, undefined)),
    edit: (remote, message) => inTurn(() => rewrite(options, remote, message)),
    reply: (remote, message) => inTurn(() => add(options, message, remote.id)),
    find: (deliveryId) => inTurn(() => find(options, deliveryId)),
  };
}

/** The messages in an outbox, oldest first. */
export async function readOutbox(directory: string): Promise<readonly OutboxEntry[]> {
  try {
    return JSON.parse(await readFile(indexOf(directory), 'utf8'));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

async function add(options: OutboxOptions, message: OutgoingMessage, thread: string | undefined): Promise<SendOutcome> {
  const entries = await readOutbox(options.directory);
  if (thread !== undefined && !entries.some(({ name }) => name === thread)) return gone(thread);
  const entry = entryOf(message, { name: nextName(entries, thread), thread, writtenAt: options.clock().toISOString() });
  await writeBoth(options.directory, entry, message);
  await writeIndex(options.directory, [...entries, entry]);
  return { kind: 'sent', remote: { channel: 'outbox', id: entry.name } };
}

async function rewrite(options: OutboxOptions, remote: RemoteRef, message: OutgoingMessage): Promise<SendOutcome> {
  const entries = await readOutbox(options.directory);
  const before = entries.find(({ name }) => name === remote.id);
  if (before === undefined) return gone(remote.id);
  const { name, thread, edits, writtenAt } = before;
  const entry = { ...entryOf(message, { name, thread, writtenAt }), edits: edits + 1, deliveryId: before.deliveryId };
  await writeBoth(options.directory, entry, message);
  await writeIndex(
    options.directory,
    entries.map((each) => (each.name === name ? entry : each)),
  );
  return { kind: 'sent', remote };
}

function gone(name: string): SendOutcome {
  return { kind: 'gone', why: `${name} is not in the outbox` };
}

async function find({ directory }: OutboxOptions, deliveryId: string): Promise<RemoteRef | 'absent'> {
  const entry = (await readOutbox(directory)).find((each) => each.deliveryId === deliveryId);
  return entry === undefined ? 'absent' : { channel: 'outbox', id: entry.name };
}

function nextName(entries: readonly OutboxEntry[], thread: string | undefined): string {
  const beside = entries.filter((each) => each.thread === thread).length + 1;
  return thread === undefined ? String(beside).padStart(4, '0') : `${thread}-r${String(beside).padStart(2, '0')}`;
}

function entryOf(
  { deliveryId, occasion, slack, mail }: OutgoingMessage,
  place: Pick<OutboxEntry, 'name' | 'thread' | 'writtenAt'>,
): OutboxEntry {
  return { ...place, deliveryId, occasion, subject: mail?.subject ?? '', text: slack?.text ?? '', edits: 0 };
}

/** The message as it is now, and beside it as it was after each edit. */
async function writeBoth(directory: string, entry: OutboxEntry, message: OutgoingMessage): Promise<void> {
  const { name, edits } = entry;
  await write(directory, { name: versionName(name, edits) }, message);
  await write(directory, entry, message);
}

/** `0001.v0`: as it was sent; `0001.v1`: after its first edit. */
export function versionName(name: string, edits: number): string {
  return `${name}.v${edits}`;
}

async function write(
  directory: string,
  { name }: Pick<OutboxEntry, 'name'>,
  { slack, mail }: OutgoingMessage,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  await Promise.all([
    slack === undefined ? undefined : writeFile(join(directory, `${name}.json`), JSON.stringify(slack, undefined, 2)),
    mail === undefined ? undefined : writeFile(join(directory, `${name}.html`), mail.html),
    mail === undefined
      ? undefined
      : writeFile(join(directory, `${name}.txt`), `Subject: ${mail.subject}\n\n${mail.text}`),
  ]);
}

/** Last and atomically: a message is in the index only when its files exist. */
async function writeIndex(directory: string, entries: readonly OutboxEntry[]): Promise<void> {
  await mkdir(directory, { recursive: true });
  const draft = `${indexOf(directory)}.new`;
  await writeFile(draft, JSON.stringify(entries, undefined, 2));
  await rename(draft, indexOf(directory));
}

function indexOf(directory: string): string {
  return join(directory, 'index.json');
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
