import * as z from 'zod';
import type { ApplicationRef } from '../core/argocd/application.ts';
import { Transient } from '../core/text/errors.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId, Sleep } from '../ports/time.ts';
import { answering, type Reply, type WebHandler } from '../shell/answer.ts';
import { parseAs, parseJson, readText } from '../shell/body.ts';
import { KubernetesName } from '../shell/kubernetes-name.ts';
import { liveSecret, type SecretPorts } from '../shell/live-secret.ts';
import { bearerToken, requireToken } from '../shell/token.ts';
import type { Protection, WaitingPool } from './protection.ts';

/** `secret` is the token that the PreSync Jobs send. */
export interface HandshakePorts extends SecretPorts {
  /** Runs one pass for the Application and returns the state of its pools. Throws BadInput 404 for an unknown
   *  Application, Argo CD instance or destination, Transient if the state is unknown. */
  readonly protect: (ref: ApplicationRef) => Promise<Protection>;
  readonly sleep: Sleep;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

/** Seconds that one request waits for the confirmation at most; the Job repeats it. */
const waitAtMostSeconds = 25;
/** Seconds until the answer at most. An HTTP API times out after 30 s and the function after 29: a pass that would end
 *  later is not started. */
const answerWithinSeconds = 28;
/** Milliseconds. The MCO observes a pause within 0 - 5 s. */
const pollEveryMs = 1000;
const bodyAtMostBytes = 16 * 1024;

/** The request of a PreSync Job, as JSON or in the query. */
const Question = z.object({
  argocd: z.string().min(1).max(253),
  namespace: KubernetesName,
  name: KubernetesName,
  waitSeconds: z.coerce.number().min(0).default(waitAtMostSeconds),
});

/** `POST /handshake`: pauses the pools of one Application and answers when the pause is confirmed, or why it is not.
 *  200: the sync may continue, 409: not confirmed in time, 412: an earlier rollout is not over (policy `whenRolling:
 *  refuse`), 503: cannot be read. Anything but 200 means: do not sync. */
export function handshake(ports: HandshakePorts): WebHandler {
  const { logger, metrics, newId } = ports;
  const live = liveSecret(ports);
  return answering({ methods: ['POST'], logger, metrics, newId }, async (request) => {
    await requireToken(bearerToken(request.headers), live);
    const text = await readText(request, bodyAtMostBytes);
    const asked = text === '' ? Object.fromEntries(new URL(request.url).searchParams) : parseJson(text);
    const { waitSeconds, ...ref } = parseAs(Question, asked);
    const protection = await waitFor(ref, waitSeconds, ports);
    // Argo CD deletes a PreSync Job that has succeeded, and with it the answer that it prints.
    const told = protection.kind === 'protected' ? notWaitedFor(protection.notWaitedFor) : {};
    const about = { argocd: ref.argocd, application: `${ref.namespace}/${ref.name}`, ...told };
    return { ...replyOf(protection), about };
  });
}

/** Makes passes until there is nothing more to wait for, or until the time is up, and returns the state of the last
 *  one. */
async function waitFor(ref: ApplicationRef, waitSeconds: number, ports: HandshakePorts): Promise<Protection> {
  const { clock, sleep } = ports;
  const startMs = clock().getTime();
  const lastPassMs = startMs + Math.min(waitSeconds, waitAtMostSeconds) * 1000;
  const answerMs = startMs + answerWithinSeconds * 1000;
  for (;;) {
    const passMs = clock().getTime();
    const protection = await protectOrUnreadable(ref, ports);
    if (!endsSoon(protection)) return protection;
    const nowMs = clock().getTime();
    const nextPassMs = nowMs + pollEveryMs;
    // The next pass is assumed to take as long as this one.
    if (nextPassMs > lastPassMs || nextPassMs + (nowMs - passMs) > answerMs) return protection;
    await sleep(pollEveryMs);
  }
}

/** Whether another pass within seconds may find another state. */
function endsSoon(protection: Protection): boolean {
  switch (protection.kind) {
    case 'waiting':
      return protection.pools.every(({ isBrief }) => isBrief === true);
    case 'blind':
      return protection.lasts !== true;
    default:
      return false;
  }
}

/** A lost race or a brief API server failure may be over with the next pass. */
async function protectOrUnreadable(ref: ApplicationRef, { protect, logger }: HandshakePorts): Promise<Protection> {
  try {
    return await protect(ref);
  } catch (error) {
    if (!(error instanceof Transient)) throw error;
    logger.warn('pools could not be read', { application: `${ref.namespace}/${ref.name}`, error });
    return { kind: 'blind', ...unread(error) };
  }
}

function unread({ kind }: Transient): { readonly why: string; readonly lasts?: true } {
  switch (kind) {
    case 'invalid':
      return { why: 'the Application, or what its pools are judged by, cannot be parsed', lasts: true };
    case 'forbidden':
      return { why: 'a right to read the cluster or its Argo CD is missing', lasts: true };
    default:
      return { why: 'the cluster or its Argo CD did not answer' };
  }
}

function replyOf(protection: Protection): Reply {
  switch (protection.kind) {
    case 'protected':
      return {
        status: 200,
        reason: 'all pools are confirmed paused',
        body: { confirmed: true, pools: protection.pools, ...notWaitedFor(protection.notWaitedFor) },
      };
    case 'nothing-to-protect':
      return { status: 200, reason: protection.why, body: { confirmed: true, pools: [] } };
    case 'waiting':
      return {
        status: 409,
        reason: 'not every pool is confirmed paused',
        body: { confirmed: false, why: reasonsOf(protection.pools) },
      };
    case 'refused':
      return {
        status: 412,
        reason: 'an earlier rollout is not over',
        body: { confirmed: false, why: reasonsOf(protection.pools) },
      };
    case 'blind':
      return { status: 503, reason: 'the pools cannot be read', body: { confirmed: false, why: [protection.why] } };
    default:
      return protection satisfies never;
  }
}

function reasonsOf(pools: readonly WaitingPool[]): readonly string[] {
  return pools.map(({ name, why }) => `${name}: ${why}`);
}

function notWaitedFor(pools: readonly WaitingPool[] | undefined): { readonly notWaitedFor?: readonly string[] } {
  return pools === undefined ? {} : { notWaitedFor: reasonsOf(pools) };
}
