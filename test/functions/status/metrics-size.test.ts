import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { httpFunction } from '../../../functions/shell/http.ts';
import { definitions } from '../../../functions/status/metrics/definitions.ts';
import { metricsOf } from '../../../functions/status/metrics-of.ts';
import { alertRules } from '../../../local/monitoring/alert-rules.ts';
import { startLocalServer } from '../../../local/run/local-server.ts';
import { aGateView, aPoolView, aView } from '../../fakes/builders.ts';
import { fakeClock } from '../../fakes/fake-clock.ts';
import { fakeIds } from '../../fakes/index.ts';
import { apiEvent, fakeTelemetry, lambdaContext } from '../receiving.ts';

/** Bytes of the whole answer of a function, as JSON. Source: AWS Lambda, "Quotas": 6 MB. */
const lambdaTakes = 6 * 1024 * 1024;
const now = '2026-03-02T10:30:00.000Z';
const begun = Date.parse('2026-03-01T10:00:00.000Z');

/** Each time is another: what is the same everywhere would take no room. */
function atSecond(count: number): string {
  return new Date(begun + ((count * 7919) % 86_400) * 1000).toISOString();
}

function resting(name: string) {
  return aPoolView({ name });
}

const freeze = {
  id: 'freeze/fleet/anna',
  kind: 'freeze',
  who: 'anna',
  why: 'incident',
  phase: '',
  until: '2026-03-03T10:00:00.000Z',
} as const;

function frozen(name: string, count: number) {
  return aPoolView({
    name,
    paused: true,
    pauseOf: 'ours',
    pausedSince: atSecond(count),
    pausedBy: 'poolkeeper',
    pending: true,
    updated: false,
    pendingSince: atSecond(count + 1),
    certificatesExpire: atSecond(count + 2),
    pace: { usual: 9, slow: 14, rollouts: 6 },
    holds: [{ ...freeze, since: atSecond(count + 3) }],
    closedGates: [
      aGateView({ gate: 'window', since: atSecond(count) }),
      aGateView({ gate: 'wave', since: atSecond(count) }),
    ],
  });
}

/** Names that share nothing with each other, as those that somebody draws. */
function longName(count: number): string {
  let seed = count + 1;
  const letters = Array.from({ length: 240 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed % 36).toString(36);
  });
  return letters.join('');
}

interface Fleet {
  readonly clusters: number;
  readonly pools: number;
  readonly of?: (name: string, count: number) => ReturnType<typeof aPoolView>;
  readonly nameOf?: (count: number) => string;
}

function metricsOfFleet({ clusters, pools, of = frozen, nameOf }: Fleet) {
  const views = Array.from({ length: clusters }, (_, cluster) =>
    aView({
      cluster: `prod-eu-west-${cluster}`,
      readAt: now,
      pools: Array.from({ length: pools }, (_each, pool) => {
        const count = cluster * pools + pool;
        return of(nameOf?.(count) ?? `worker-${pool}`, count);
      }),
    }),
  );
  return metricsOf({
    views: { list: async () => views },
    incidents: { list: async () => [] },
    timeline: { latest: async () => [] },
    nodeRollouts: { ended: async () => ({ rollouts: [] }) },
    clock: fakeClock(now).now,
    newId: fakeIds(),
  });
}

/** What a function hands to API Gateway, and what the scraper reads of it. */
async function scrape(fleet: Fleet, acceptEncoding: string | undefined) {
  const handler = httpFunction({ telemetry: fakeTelemetry(), build: async () => metricsOfFleet(fleet) });
  const headers = acceptEncoding === undefined ? {} : { 'Accept-Encoding': acceptEncoding };
  const result = await handler(apiEvent({ method: 'GET', path: '/metrics', headers }), lambdaContext());
  const encoding = result.headers?.['content-encoding'];
  const sent = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8');
  const text = (encoding === 'gzip' ? gunzipSync(sent) : sent).toString('utf8');
  return { status: result.statusCode, bytes: Buffer.byteLength(JSON.stringify(result)), encoding, text };
}

const all = Object.values(definitions).map(({ name }) => name);

/** The metrics that the answer says to have no room for. */
function leftOutOf(text: string): readonly string[] {
  return [...text.matchAll(/^poolkeeper_unread\{part="(.*)"\} 1$/gm)].map(([, part = '']) => part);
}

function countOf(text: string, name: string): number {
  return text.split(`\n${name}{`).length - 1;
}

describe('[N-35] GET /metrics of a large fleet', () => {
  test.each([
    ['1,000 clusters with 20 pools at rest', { clusters: 1000, pools: 20, of: resting }],
    ['1,000 clusters with 20 frozen pools', { clusters: 1000, pools: 20 }],
  ])('is whole for a scraper that takes gzip, as Prometheus does: %s', async (_what, fleet) => {
    const { status, bytes, encoding, text } = await scrape(fleet, 'gzip');

    expect(status).toBe(200);
    expect(bytes).toBeLessThan(lambdaTakes);
    expect(encoding).toBe('gzip');
    expect(leftOutOf(text)).toEqual([]);
    expect(countOf(text, 'poolkeeper_pool_state')).toBe(20_000);
    expect(countOf(text, 'poolkeeper_pool_machines')).toBe(100_000);
    expect(text.endsWith('# EOF\n')).toBe(true);
  });

  test.each([
    ['600 clusters with 20 pools at rest, no gzip', { clusters: 600, pools: 20, of: resting }, undefined],
    ['250 clusters with 20 frozen pools, no gzip', { clusters: 250, pools: 20 }, undefined],
    ['1,000 clusters with 5 frozen pools, gzip refused', { clusters: 1000, pools: 5 }, 'gzip;q=0, identity'],
    ['names that no gzip makes shorter', { clusters: 150, pools: 20, nameOf: longName }, 'gzip'],
    ['one cluster with 20,000 such pools', { clusters: 1, pools: 20_000, nameOf: longName, of: resting }, 'gzip'],
  ])('leaves out the last metrics of its table, names them, and is never too large: %s', async (_w, fleet, accepts) => {
    const { status, bytes, text } = await scrape(fleet, accepts);

    expect(status).toBe(200);
    expect(bytes).toBeLessThan(lambdaTakes);
    const leftOut = leftOutOf(text);
    expect(leftOut.length).toBeGreaterThan(0);
    expect(leftOut).toEqual(all.slice(-leftOut.length));
    expect(leftOut.filter((name) => countOf(text, name) > 0)).toEqual([]);
    expect(countOf(text, 'poolkeeper_cluster_seen')).toBe(fleet.clusters);
    expect(text.split('\n').filter((line) => line.startsWith('# TYPE '))).toHaveLength(all.length);
    expect(text.endsWith('# EOF\n')).toBe(true);
  });

  test.each([1, 40, 100, 160])('is whole as long as there is room, without gzip too: %i clusters', async (clusters) => {
    const { bytes, encoding, text } = await scrape({ clusters, pools: 10 }, undefined);

    expect(bytes).toBeLessThan(lambdaTakes);
    expect(encoding).toBeUndefined();
    expect(leftOutOf(text)).toEqual([]);
    expect(countOf(text, 'poolkeeper_pool_machines')).toBe(clusters * 10 * 5);
  });

  test('keeps what alert rules are about longer than anything else', () => {
    const named = new Set(alertRules().match(/\bpoolkeeper_\w+/g));
    const used = all.filter((name) => named.has(name));

    const explaining = ['poolkeeper_sequence_state', 'poolkeeper_sequence_problems'];
    const first = all.slice(0, used.length + explaining.length);
    expect(first.toSorted()).toEqual([...used, ...explaining].toSorted());
  });

  test('is the same where one process serves it', async () => {
    const fleet = { clusters: 20, pools: 20 };
    const server = await startLocalServer({ '* /metrics': metricsOfFleet(fleet) }, 0);
    const ask = (encoding: string) => fetch(`${server.url}/metrics`, { headers: { 'accept-encoding': encoding } });
    try {
      const [packed, plain] = await Promise.all([ask('gzip'), ask('identity')]);

      expect([packed, plain].map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null]);
      expect(packed.headers.get('vary')).toContain('accept-encoding');
      const { text } = await scrape(fleet, 'gzip');
      expect([await packed.text(), await plain.text()]).toEqual([text, text]);
    } finally {
      await server.stop();
    }
  });
});
