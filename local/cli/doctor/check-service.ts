import * as z from 'zod';
import { ClusterStatus } from '../../../functions/status/status.ts';
import { githubSignature } from '../../run/github-signature.ts';
import { type Finding, ok, unchecked, warning, wrong } from './finding.ts';

const about = 'service';
/** Milliseconds. A cold start takes well under a second. */
const patienceMs = 10_000;

/** What of the published status is read here. */
const Status = z.object({
  clusters: z.array(
    ClusterStatus.pick({ name: true, sight: true, readAt: true, blind: true }).extend({
      configured: z.boolean().default(true),
    }),
  ),
  unread: z.array(z.string()).default([]),
});
type Status = z.infer<typeof Status>;

export interface ServiceSecrets {
  /** Undefined: not known here, so what needs it is not checked. */
  readonly github: string | undefined;
  readonly status: string | undefined;
}

/** Whether Poolkeeper answers, accepts our signature and checks its clusters.
 *  @param named clusters of poolkeeper.yaml; undefined: it cannot be read */
export async function checkService(
  url: string,
  { github, status }: ServiceSecrets,
  named: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  const health = await ask(`${url}/healthz`, {});
  if (health === undefined) {
    return [
      wrong(about, `${url} does not answer`, 'is it deployed, and is this its address (output Url of the stack)?'),
    ];
  }
  return [
    health.status === 200
      ? ok(about, `${url} answers`)
      : wrong(about, `${url}/healthz answers ${health.status}`, 'see docs/runbook.md, http-failing'),
    await checkSignature(url, github),
    ...(await checkStatus(url, status, named)),
  ];
}

/** A ping as GitHub sends it when a webhook is created: signed and without effect. */
async function checkSignature(url: string, secret: string | undefined): Promise<Finding> {
  if (secret === undefined)
    return unchecked(about, 'webhook: the signature', 'set POOLKEEPER_GITHUB_SECRET to check it');
  const body = JSON.stringify({ zen: 'Keep it logically awesome.', hook_id: 1, hook: { type: 'Repository' } });
  const answer = await ask(`${url}/github`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'ping',
      'x-github-delivery': '00000000-0000-4000-8000-000000000000',
      'x-hub-signature-256': githubSignature(body, secret),
    },
    body,
  });
  if (answer === undefined) return wrong(about, 'webhook: no answer', 'see docs/runbook.md, receive-github-errors');
  if (answer.status < 300) return ok(about, 'webhook: accepts the signature with POOLKEEPER_GITHUB_SECRET');
  const remedy =
    answer.status === 401
      ? 'the secret here differs from that of the service'
      : 'see docs/runbook.md, receive-github-errors';
  return wrong(about, `webhook: answers ${answer.status} to a signed ping`, remedy);
}

async function checkStatus(
  url: string,
  token: string | undefined,
  named: readonly string[] = [],
): Promise<readonly Finding[]> {
  const headers = { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const answer = await ask(`${url}/status`, { headers });
  if (answer?.status === 401)
    return [unchecked(about, 'clusters: time of the last read', 'set POOLKEEPER_STATUS_TOKEN to check it')];
  const read = Status.safeParse(answer?.body);
  if (!read.success) return [wrong(about, 'status: cannot be read', 'see docs/runbook.md, status-errors')];
  return [...read.data.clusters.map(sightOf), ...missingIn(read.data, url, named)];
}

function sightOf({ name, sight, readAt, blind }: Status['clusters'][number]): Finding {
  switch (sight) {
    case 'seen':
      return ok(name, `read at ${readAt ?? ''}`.trim());
    case 'stale':
      return wrong(
        name,
        `not read since ${readAt ?? 'an unknown time'}`,
        'the ticks have stopped: docs/runbook.md, ticks-stopped',
      );
    case 'blind':
      return wrong(name, `cannot be read: ${blind?.why ?? ''}`, 'docs/runbook.md, cluster-out-of-sight');
    case 'never':
      return warning(name, 'not read yet', 'wait two minutes after a deployment, then docs/runbook.md, ticks-stopped');
    default:
      return sight satisfies never;
  }
}

/** The service knows the file that it was deployed with, and shows each cluster of it, read or not; for a while those,
 *  too, that were taken out. */
function missingIn({ clusters, unread }: Status, url: string, named: readonly string[]): readonly Finding[] {
  const missing = named.filter((name) => !clusters.some((each) => each.name === name && each.configured));
  if (unread.includes('clusters'))
    return missing.map((name) => unchecked(name, `time of the last read: ${url} could not read its clusters`));
  return missing.map((name) =>
    wrong(
      name,
      `not known to the service at ${url}: nothing is paused or watched there`,
      'deploy poolkeeper.yaml as it is now (docs/deploy.md), or give the file of that service (--config)',
    ),
  );
}

/** Undefined: no answer. */
async function ask(url: string, init: RequestInit) {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs), redirect: 'manual' });
    const text = await answer.text();
    return { status: answer.status, body: parse(text) };
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
