import { createHash } from 'node:crypto';
import type { PullSeen } from '../../events/index.ts';
import { commentMarker, commentText, deservesComment } from '../core/preview/comment.ts';
import { isAlreadyPosted, type PreviewNote } from '../core/preview/note.ts';
import type { Preview } from '../core/preview/preview.ts';
import { isSameState, type Pull, stateOf } from '../core/preview/pull.ts';
import { statusOfCommit } from '../core/preview/status-text.ts';
import { Misconfigured, Transient } from '../core/text/errors.ts';
import { given } from '../core/text/given.ts';
import { metricNames } from '../shell/metric-names.ts';
import type { LeasedNote, PreviewPorts, PullComment } from './preview-ports.ts';
import { whatToCompare } from './what-to-compare.ts';

/** Seconds for one preview; below the function's timeout. */
const lookAtMostSeconds = 150;
/** Previews in a row of a pull request that keeps changing; after that the next event continues. */
const looksAtMost = 3;

/** Posts a preview on a pull request: one commit status, and one comment that is edited in place. Level-triggered: the
 *  event is only a hint; the preview is of the current pull request. Only one run at a time handles a pull request, so
 *  that there is never a second comment and nothing older overwrites anything newer. Throws Transient to be retried.
 *  What GitHub refuses permanently is counted and logged, and not retried. */
export async function previewChanges(event: PullSeen, ports: PreviewPorts): Promise<void> {
  const { data } = event;
  const key = { repository: data.repository.fullName, number: data.number };
  const began = ports.clock();
  const held = await ports.notes.begin(key, new Date(began.getTime() + lookAtMostSeconds * 1000));
  if (held === undefined)
    throw new Transient('another run handles this pull request', { kind: 'conflict', retryAfterSeconds: 5 });
  // Where it fails halfway, nobody knows what the comment says.
  let note: PreviewNote = { ...held.note, said: undefined };
  try {
    const told = await look(event, held, ports);
    note = told.note;
    if (told.again !== undefined) throw told.again;
  } catch (cause) {
    if (!(cause instanceof Misconfigured)) throw cause;
    ports.metrics.count(metricNames.previewsRefused);
    ports.logger.error('preview could not be posted', { ...about(event), error: cause });
  } finally {
    await ports.notes.end(held, note);
  }
}

/** What is to be stored, and why and when to look again; undefined: all is told. */
interface Looked {
  readonly note: PreviewNote;
  readonly again: Transient | undefined;
}

async function look(event: PullSeen, held: LeasedNote, ports: PreviewPorts): Promise<Looked> {
  const { repository, number } = held.key;
  const skipped = (reason = 'it is gone'): Looked => {
    ports.logger.info('pull request skipped', { ...about(event), reason });
    return { note: held.note, again: undefined };
  };
  for (let looks = 0; looks < looksAtMost; looks += 1) {
    const since = ports.clock();
    const pull = await ports.pulls.read(repository, number);
    const why = whyNot(pull, event, held.note, ports);
    if (pull === undefined || why !== undefined) return skipped(why);
    const parting = await ports.parting(pull);
    const preview = await ports.predict(pull, await whatToCompare({ pull, parting, event }, ports));
    const after = await ports.pulls.read(repository, number);
    const whyNoMore = whyNot(after, event, held.note, ports);
    if (after === undefined || whyNoMore !== undefined) return skipped(whyNoMore);
    if (!isSameState(stateOf(pull), stateOf(after))) continue;
    // A base that only goes on leaves the merge base where it is, and is told as it was; one that is set back does not.
    if (parting.mergeBase !== (await ports.parting(after)).mergeBase) continue;
    return await tell({ pull, preview, since }, held, ports);
  }
  throw new Transient('the pull request changes faster than it can be previewed', { retryAfterSeconds: 60 });
}

function whyNot(
  pull: Pull | undefined,
  { data }: PullSeen,
  note: PreviewNote,
  { settings }: PreviewPorts,
): string | undefined {
  if (pull === undefined) return 'it is gone';
  if (!pull.isOpen) return 'it is not open';
  if (pull.isDraft) return 'it is a draft';
  if (pull.isFork && settings.forks === 'nothing') return 'it comes from a fork';
  return isAlreadyPosted(note, stateOf(pull), data.receivedAt) ? 'its preview is already posted' : undefined;
}

interface Told {
  readonly pull: Pull;
  readonly preview: Preview;
  readonly since: Date;
}

/** The comment first, so that the status can link to it. What GitHub refuses, or keeps back by its rate limit, of one
 *  does not affect the other: the latter is told once more, then with the link. */
async function tell({ pull, preview, since }: Told, held: LeasedNote, ports: PreviewPorts): Promise<Looked> {
  const { pulls, logger, metrics } = ports;
  const refused: Misconfigured[] = [];
  const waits: Transient[] = [];
  const unlessKeptBack = (cause: unknown): undefined => {
    if (cause instanceof Misconfigured) refused.push(cause);
    else if (cause instanceof Transient && cause.kind === 'busy') waits.push(cause);
    else throw cause;
  };
  const comment = mayComment(pull, ports) ? await sayInComment(preview, held, ports).catch(unlessKeptBack) : undefined;
  const status = { description: statusOfCommit(preview), targetUrl: comment?.url };
  await pulls.setStatus(pull.repository, pull.head, status).catch(unlessKeptBack);
  for (const error of refused) logger.error('preview could not be posted', { ...pullFields(pull), error });
  if (refused.length > 0) metrics.count(metricNames.previewsRefused);
  else if (waits.length === 0) metrics.count(metricNames.previewsTold);
  logger.info(waits.length === 0 ? 'preview posted' : 'preview partly kept back', {
    ...pullFields(pull),
    said: status.description,
    commented: comment !== undefined,
  });
  const again = longest([...waits, ...unsaid(preview)]);
  const told = again === undefined ? { ...stateOf(pull), since: since.toISOString() } : held.note.told;
  const said = again && comment && { digest: digestOf(commentText(preview)), url: comment.url };
  return { note: { comment: comment?.id ?? held.note.comment, told, ...given({ said }) }, again };
}

/** Why what is told is not all that can be known. */
function unsaid({ isPartial, keptBackSeconds }: Preview): readonly Transient[] {
  const why = 'GitHub limits our requests (changed files)';
  return [
    ...(isPartial ? [new Transient('an Argo CD did not answer', { retryAfterSeconds: 60 })] : []),
    ...(keptBackSeconds === undefined
      ? []
      : [new Transient(why, { kind: 'busy', retryAfterSeconds: keptBackSeconds })]),
  ];
}

function longest(waits: readonly Transient[]): Transient | undefined {
  return waits.toSorted((a, b) => (b.retryAfterSeconds ?? 0) - (a.retryAfterSeconds ?? 0))[0];
}

function mayComment(pull: Pull, { settings }: PreviewPorts): boolean {
  return !pull.isFork || settings.forks === 'comment';
}

/** Edits the existing comment, found by its id or, if that is gone or unknown, by its marker; not if an attempt before
 *  said the same: GitHub limits edits as well. Undefined: there is none, and none is needed. */
async function sayInComment(
  preview: Preview,
  { key, note, heldUntil }: LeasedNote,
  { pulls, clock }: PreviewPorts,
): Promise<PullComment | undefined> {
  const body = commentText(preview);
  // After the lease another run may be active.
  if (clock() >= heldUntil) throw new Transient('the preview took too long', { retryAfterSeconds: 60 });
  if (note.comment !== undefined && note.said?.digest === digestOf(body))
    return { id: note.comment, url: note.said.url };
  const known = note.comment === undefined ? [] : [note.comment];
  for (const id of known) {
    const edited = await pulls.editComment(key.repository, id, body);
    if (edited !== undefined) return edited;
  }
  for (const { id } of await pulls.findComments(key.repository, key.number, commentMarker)) {
    const edited = await pulls.editComment(key.repository, id, body);
    if (edited !== undefined) return edited;
  }
  return deservesComment(preview) ? pulls.createComment(key.repository, key.number, body) : undefined;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function about({ data }: PullSeen) {
  return { delivery: data.delivery, repository: data.repository.fullName, pull: data.number };
}

function pullFields({ repository, number, head }: Pull) {
  return { repository, pull: number, head };
}
