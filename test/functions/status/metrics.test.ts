import { describe, expect, test } from 'vitest';
import type { Configuration } from '../../../functions/core/configuration/configuration.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { liveSecret } from '../../../functions/shell/live-secret.ts';
import { definitions } from '../../../functions/status/metrics/definitions.ts';
import { metricsOf } from '../../../functions/status/metrics-of.ts';
import type { StatusPorts } from '../../../functions/status/read-status.ts';
import { anIncident, aPoolView, aRace, aView } from '../../fakes/builders.ts';
import { fakeClock } from '../../fakes/fake-clock.ts';
import { fakeIds } from '../../fakes/index.ts';

const clock = fakeClock('2026-03-02T10:00:30.000Z').now;

function handler(ports: Partial<StatusPorts> = {}) {
  const neverRead = () => Promise.reject(new Error('the metrics need no timeline and no reboots'));
  return metricsOf({
    views: { list: async () => [aView()] },
    incidents: { list: async () => [anIncident()] },
    timeline: { latest: neverRead },
    nodeRollouts: { ended: neverRead },
    clock,
    newId: fakeIds(),
    ...ports,
  });
}

function aClusterNamed(name: string): Configuration['clusters'][number] {
  const api = { server: 'https://api.example.com:6443', ca: undefined, tokenSecret: 'token', skipTLSVerify: false };
  return { name, api, policy: defaultPolicy, pools: {} };
}

async function scrape(ports: Partial<StatusPorts> = {}): Promise<readonly string[]> {
  const answer = await handler(ports)(new Request('http://localhost/metrics'));
  expect(answer.status).toBe(200);
  return (await answer.text()).split('\n');
}

function valuesOf(lines: readonly string[], name: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${name}{`)).map((line) => line.slice(name.length));
}

describe('[N-35] GET /metrics', () => {
  test('is OpenMetrics with a type and a meaning for every metric, and ends as it has to', async () => {
    const answer = await handler()(new Request('http://localhost/metrics'));
    const text = await answer.text();

    expect(answer.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const types = text.split('\n').filter((line) => line.startsWith('# TYPE '));
    expect(types).toEqual(Object.values(definitions).map(({ name }) => `# TYPE ${name} gauge`));
    expect(text.endsWith('# EOF\n')).toBe(true);
  });

  test('says of a held pool who paused it, since when, its holds, its closed gates and its race', async () => {
    const since = '2026-03-02T09:58:00.000Z';
    const hold = { who: 'openshift-gitops/nodes', why: 'syncs', since, until: '2026-03-02T09:59:00.000Z' };
    const pool = aPoolView({
      name: 'worker',
      paused: true,
      pauseOf: 'ours',
      pausedSince: since,
      holds: [
        { ...hold, id: 'sync/hub/openshift-gitops/nodes', kind: 'sync', phase: 'syncing' },
        { ...hold, id: 'freeze/fleet/jane', kind: 'freeze', phase: '', until: '2026-03-03T00:00:00.000Z' },
      ],
      races: [aRace({ verdict: 'late' })],
    });

    const lines = await scrape({ views: { list: async () => [aView({ cluster: 'prod', pools: [pool] })] } });

    const of = 'cluster="prod",pool="worker"';
    expect(valuesOf(lines, 'poolkeeper_pool_paused')).toEqual([`{${of},whose="ours"} 1`]);
    expect(valuesOf(lines, 'poolkeeper_pool_paused_since_timestamp_seconds')).toEqual([`{${of}} 1772445480`]);
    expect(valuesOf(lines, 'poolkeeper_holds')).toEqual([`{${of},kind="sync"} 1`, `{${of},kind="freeze"} 1`]);
    expect(valuesOf(lines, 'poolkeeper_holds_overdue')).toEqual([`{${of}} 1`]);
    expect(valuesOf(lines, 'poolkeeper_oldest_hold_timestamp_seconds')).toEqual([`{${of}} 1772445480`]);
    expect(valuesOf(lines, 'poolkeeper_races')).toEqual([`{${of},verdict="late"} 1`]);
  });

  test('[N-29] says when a race was lost, for a day, also of those that the page does not list', async () => {
    const lost = (verdict: 'late' | 'unprotected', lastAt: string) => ({ verdict, count: 30, lastAt });
    const lostRaces = [lost('late', '2026-03-01T11:00:00.000Z'), lost('unprotected', '2026-02-27T00:00:00.000Z')];
    const pool = aPoolView({ name: 'worker', lostRaces });

    const lines = await scrape({ views: { list: async () => [aView({ cluster: 'prod', pools: [pool] })] } });

    expect(valuesOf(lines, 'poolkeeper_race_lost_timestamp_seconds')).toEqual([
      '{cluster="prod",pool="worker",verdict="late"} 1772362800',
    ]);
  });

  test('says of a pool that is not paused nothing about a pause', async () => {
    const lines = await scrape({ views: { list: async () => [aView({ pools: [aPoolView({ paused: false })] })] } });

    expect(valuesOf(lines, 'poolkeeper_pool_state')).toHaveLength(1);
    expect(valuesOf(lines, 'poolkeeper_pool_paused')).toEqual([]);
    expect(valuesOf(lines, 'poolkeeper_holds_overdue')).toEqual([]);
  });

  test('counts incidents that are not over by what they are', async () => {
    const incident = anIncident();

    const lines = await scrape({ incidents: { list: async () => [incident, incident] } });

    const { cluster, pool, kind } = incident.key;
    expect(valuesOf(lines, 'poolkeeper_incidents')).toEqual([
      `{cluster="${cluster}",pool="${pool}",kind="${kind}",severity="${incident.trouble?.severity}",state="firing"} 2`,
    ]);
  });

  test('a part that cannot be read is absent and named, and the others still count', async () => {
    const lines = await scrape({
      incidents: { list: async () => Promise.reject(new Transient('the table does not answer')) },
    });

    expect(valuesOf(lines, 'poolkeeper_unread')).toEqual(['{part="incidents"} 1']);
    expect(valuesOf(lines, 'poolkeeper_incidents')).toEqual([]);
    expect(valuesOf(lines, 'poolkeeper_cluster_seen')).toHaveLength(1);
  });

  test('a cluster that was not read lately is not seen, one that was never read has no time', async () => {
    const lines = await scrape({
      views: { list: async () => [aView({ cluster: 'old', readAt: '2026-03-02T09:00:00.000Z' })] },
      configuration: { clusters: [aClusterNamed('never'), aClusterNamed('old')] },
    });

    expect(valuesOf(lines, 'poolkeeper_cluster_seen').toSorted()).toEqual(['{cluster="never"} 0', '{cluster="old"} 0']);
    expect(valuesOf(lines, 'poolkeeper_cluster_read_timestamp_seconds')).toEqual(['{cluster="old"} 1772442000']);
  });

  test('a cluster that was taken out of the configuration has no metrics, which nothing would ever end', async () => {
    const view = aView({ cluster: 'gone', readAt: '2026-03-01T10:00:00.000Z', pools: [aPoolView({ paused: true })] });

    const lines = await scrape({
      views: { list: async () => [view, aView({ cluster: 'prod' })] },
      configuration: { clusters: [aClusterNamed('prod')] },
    });

    expect(lines.filter((line) => line.includes('"gone"'))).toEqual([]);
    expect(valuesOf(lines, 'poolkeeper_cluster_seen')).toEqual(['{cluster="prod"} 1']);
  });

  test('[N-12] names every pool of every cluster, also where the page shows clusters in short', async () => {
    const views = Array.from({ length: 60 }, (_, index) => aView({ cluster: `c${index}`, pools: [aPoolView()] }));

    const lines = await scrape({ views: { list: async () => views } });

    expect(valuesOf(lines, 'poolkeeper_pool_state')).toHaveLength(60);
  });

  test('[N-30] is for those who have the token of the page', async () => {
    const token = liveSecret({ secrets: { read: async () => ['right'] }, secret: 'status-token', clock });
    const asked = (authorization: string | undefined) =>
      handler({ token })(new Request('http://localhost/metrics', { headers: authorization ? { authorization } : {} }));

    const answers = await Promise.all([asked(undefined), asked('Bearer wrong'), asked('Bearer right')]);

    expect(answers.map(({ status }) => status)).toEqual([401, 401, 200]);
    expect(await answers[0]?.text()).not.toContain('poolkeeper_');
  });
});
