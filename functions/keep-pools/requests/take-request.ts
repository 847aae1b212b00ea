import { cloudEvent, type RequestAsked } from '../../../events/index.ts';
import { type AskedRequest, askedFreshSeconds, carryOutSeconds } from '../../core/requests/asked-request.ts';
import { requestWords } from '../../core/requests/request-words.ts';
import { undoOf } from '../../core/requests/undo-of.ts';
import { byName } from '../../core/text/by-name.ts';
import { BadInput, Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { safeLine } from '../../core/text/safe-text.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { changePools } from './change-pools.ts';
import type { Outcome } from './outcome.ts';
import { showRun, steerRun } from './steer-run.ts';

/** Carries out what somebody asked by a command in Slack, once, and has them answered. The pass that follows sees the
 *  pools as they are then. Throws Transient: then this attempt does nothing, and the queue brings it again. */
export async function takeRequest({ data }: RequestAsked, ports: KeepPorts): Promise<void> {
  const asked = await ports.askedRequests?.load(data.id);
  if (asked === undefined) {
    ports.logger.warn('command is not stored, and dropped', { id: data.id });
    return;
  }
  if (asked.state === 'done') return answerOnce(asked, ports);
  const now = ports.clock();
  requireNobodyAtIt(asked, now);
  const early = whyNot(asked, now);
  if (early !== undefined) return finish(asked, { said: early, changed: false }, ports);
  const begun: AskedRequest = { ...asked, state: 'begun', begunAt: now.toISOString() };
  if ((await ports.askedRequests?.save(begun)) !== true) throw new Transient('another pass carries out this command');
  const mine = { ...begun, version: asked.version + 1 };
  await finish(mine, await outcomeOf(mine, ports), ports);
}

/** What fails is not tried again: a minute later the person may have asked for something else, as may others. The
 *  message of a failed request is only logged: it may contain addresses. */
async function outcomeOf(begun: AskedRequest, ports: KeepPorts): Promise<Outcome> {
  try {
    return await carryOut(begun, ports);
  } catch (cause) {
    if (cause instanceof BadInput) return { said: `Not done: ${cause.message}.`, changed: false };
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.error('command failed', { id: begun.id, error: cause });
    const what = `Cluster ${begun.cluster} did not answer as it should`;
    const said =
      begun.request.kind === 'look'
        ? `${what}. Ask again.`
        : `${what}, and that may have been done, in part or not at all: look before you ask again.`;
    return { said, changed: false };
  }
}

/** Two workers may take one command at once, and only the one that carries it out knows what comes of it: the other
 *  comes back when that one is done, or cannot be alive any more. */
function requireNobodyAtIt({ state, begunAt }: AskedRequest, now: Date): void {
  if (state !== 'begun' || begunAt === undefined) return;
  const left = carryOutSeconds - secondsSince(begunAt, now);
  if (left > 0) throw new Transient('another pass carries out this command', { retryAfterSeconds: left });
}

/** Nothing is done again by whoever cannot know whether it was done, and what has been decided since. */
function whyNot({ state, at, request }: AskedRequest, now: Date): string | undefined {
  if (state === 'begun' && request.kind !== 'look')
    return 'It was interrupted, and may have been done or not: look before you ask again.';
  const isLate = secondsSince(at, now) > askedFreshSeconds;
  return isLate ? 'It came too late, and was not done. Ask again.' : undefined;
}

async function carryOut(asked: AskedRequest, ports: KeepPorts): Promise<Outcome> {
  const { request, cluster } = asked;
  const settings = byName(ports.configuration.clusters, cluster);
  if (settings === undefined) throw new BadInput(`cluster ${cluster} is not configured`);
  switch (request.kind) {
    case 'hold':
    case 'resume':
    case 'freeze':
    case 'thaw':
      return changePools({ ...asked, request }, settings, ports);
    case 'steer-run':
      return steerRun({ ...asked, request }, ports);
    case 'look':
      return showRun(request.name, cluster, ports);
    default:
      return request satisfies never;
  }
}

async function finish(asked: AskedRequest, { said, changed, earlier }: Outcome, ports: KeepPorts): Promise<void> {
  const before = earlier ?? { ofPools: [], now: ports.clock() };
  const undo = changed ? undoOf(asked, ports.configuration.alerts.slackButtons, before) : undefined;
  const outcome = {
    said: undo?.kind === 'none' ? `${said}\n${undo.why}` : said,
    ...(undo?.kind === 'command' ? { undo: undo.command } : {}),
  };
  const done: AskedRequest = { ...asked, state: 'done', outcome };
  const { request, cluster, who } = asked;
  ports.logger.info('command carried out', { kind: request.kind, cluster, by: who, said });
  if ((await ports.askedRequests?.save(done)) !== true) return;
  if (request.kind !== 'look') await ports.timeline.append([commandEntry(done, said)]);
  await answerOnce({ ...done, version: done.version + 1 }, ports);
}

/** Again only where the first answer may have been lost: the queue brings a command also because the pass behind it has
 *  failed. */
async function answerOnce(done: AskedRequest, ports: KeepPorts): Promise<void> {
  if (done.isAnswered === true) return;
  await sendAnswer(done, ports);
  await ports.askedRequests?.save({ ...done, isAnswered: true });
}

function commandEntry({ id, at, cluster, request, who }: AskedRequest, outcome: string): TimelineEntry {
  const pool = 'pool' in request ? request.pool : '';
  const text = `${who} asked in Slack: ${requestWords(request)}; ${safeLine(outcome, 600)}`;
  return { id: `${cluster}/command/${id}`, at, cluster, pool, type: 'command', text, correlation: `slack/${id}` };
}

async function sendAnswer({ id, cluster }: AskedRequest, { requests, clock }: KeepPorts): Promise<void> {
  await requests?.send(
    cloudEvent({
      type: 'poolkeeper.request.asked.v1',
      id: `slack/${id}/answer`,
      source: '/poolkeeper/keep-pools',
      subject: cluster,
      time: clock(),
      correlation: `slack/${id}`,
      data: { id, cluster },
    }),
  );
}
