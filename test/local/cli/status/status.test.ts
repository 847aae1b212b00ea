import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';
import { Status } from '../../../../functions/status/status.ts';
import { anIncident, aPoolView, aView } from '../../../fakes/index.ts';
import { underWay } from '../../../functions/status/run-sample.ts';
import { held } from './held-pool.ts';
import { ask, serveStatus } from './serve-status.ts';

const readAt = '2026-03-02T10:24:20.000Z';
/** A cluster that was read after the first question. */
function later(pool: ReturnType<typeof aPoolView>) {
  return [aView({ cluster: 'prod', readAt: '2026-03-02T10:24:31.000Z', pools: [pool] })];
}
const calm = [aView({ cluster: 'prod', readAt })];
const holding = [aView({ cluster: 'prod', readAt, pools: [aPoolView({ name: 'infra' }), held] })];

describe('[N-33] poolkeeper status', () => {
  test('begins with the sentence of the page, and lists what is paused first', async () => {
    const { status, said } = await ask(await serveStatus({ views: holding }), ['status']);

    expect(status).toBe(0);
    const [sentence, , columns, first, second] = said.split('\n');
    expect(sentence).toContain('1 pool paused.');
    expect(columns).toMatch(/^CLUSTER +POOL +STATE +PAUSED +FOR +UPDATED +WAITS FOR$/);
    expect(first).toMatch(/^prod +worker +pending +ours +12 min +2\/3 +hold openshift-gitops\/nodes/);
    expect(second).toMatch(/^prod +infra +updated +- +- +3\/3 +-$/);
  });

  test('exits 1 while an incident fires, and names it', async () => {
    const { status, said } = await ask(await serveStatus({ views: calm, incidents: [anIncident()] }), ['status']);

    expect(status).toBe(1);
    expect(said).toMatch(/PK-7 +\w+ +firing +prod\/worker/);
  });

  test('exits 1 and names what is not seen: a cluster, and a part of the answer', async () => {
    const views = [aView({ cluster: 'prod', readAt: '2026-03-02T09:24:30.000Z' })];

    const stale = await ask(await serveStatus({ views }), ['status']);
    const unread = await ask(await serveStatus({ views: calm, isPartUnread: true }), ['status']);

    expect([stale.status, unread.status]).toEqual([1, 1]);
    expect(stale.said).toContain('cluster prod: not read lately, last seen 1 h ago');
    expect(unread.said).toContain('Incidents could not be read');
  });

  test('--watch prints what has changed, and only that', async () => {
    const url = await serveStatus(
      { views: calm },
      { views: calm },
      { views: holding },
      { views: holding },
      { views: calm },
    );

    const { said } = await ask(url, ['status', '-w'], 4);

    expect(said.match(/All clear|1 pool paused/g)).toEqual(['All clear', '1 pool paused', 'All clear']);
  });

  test('--watch goes on when nothing answers, and says so once', async () => {
    const { said, noted } = await ask('http://127.0.0.1:1', ['status', '--watch'], 3);

    expect(said.match(/http:\/\/127\.0\.0\.1:1 does not answer/g)).toHaveLength(1);
    expect(noted).toContain('ended by Ctrl-C');
  });

  test('without a Poolkeeper it names the address, and exits 2', async () => {
    const { status, noted } = await ask('http://127.0.0.1:1', ['status']);

    expect(status).toBe(2);
    expect(noted).toContain('http://127.0.0.1:1 does not answer; is it the right address (--url, POOLKEEPER_URL)?');
  });
});

describe('[N-33] poolkeeper get', () => {
  test('one of a kind is asked for as with kubectl', async () => {
    const url = await serveStatus({ views: holding });

    expect(await ask(url, ['get', 'pool'])).toEqual(await ask(url, ['get', 'pools']));
    expect((await ask(url, ['get', 'nod'])).status).toBe(2);
  });

  test('lists holds with their reasons, and the wide form with their ids', async () => {
    const url = await serveStatus({ views: holding });

    const [usual, wide, names] = [
      await ask(url, ['get', 'holds']),
      await ask(url, ['get', 'holds', '-o', 'wide']),
      await ask(url, ['get', 'pools', '-o', 'name']),
    ];

    expect(usual.said.split('\n')[1]).toMatch(
      /^prod +worker +sync +openshift-gitops\/nodes +12 min +2026-03-02T11:12:00.000Z +Argo CD syncs openshift-gitops\/nodes$/,
    );
    expect(wide.said).toContain('sync/hub/openshift-gitops/nodes   syncing');
    expect(names.said).toBe('prod/worker\nprod/infra\n');
  });

  test('lists runs with what each waits for, also as data', async () => {
    const ago = (seconds: number) => new Date(Date.parse(readAt) - seconds * 1000).toISOString();
    const url = await serveStatus({ views: calm, runs: [underWay(ago)] });

    const [usual, wide, json] = [
      await ask(url, ['get', 'runs']),
      await ask(url, ['get', 'run', '-o', 'wide']),
      await ask(url, ['get', 'runs', '-o', 'json']),
    ];

    expect(usual).toMatchObject({ status: 0, noted: '' });
    expect(usual.said).toMatch(
      /^upgrade +prod-eu-1 +running +2\/8 +- +worker-4, when worker-3 is done: 1 node at once$/m,
    );
    expect(wide.said).toMatch(/^RUN +CLUSTER +STATE +DONE +FOR +MODE +LEFT +POOLS +WHAT$/m);
    expect(wide.said).toMatch(/ turns +38 min +worker +worker-4, /);
    expect(JSON.parse(json.said)).toMatchObject([{ name: 'upgrade', done: 2, total: 8 }]);
  });

  test('[N-29] says how many incidents and runs an answer has no room for, and exits 1', async () => {
    const ago = (seconds: number) => new Date(Date.parse(readAt) - seconds * 1000).toISOString();
    const runs = Array.from({ length: 23 }, (_, index) => ({ ...underWay(ago), run: `upgrade-${index}` }));
    const incidents = Array.from({ length: 130 }, (_, index) =>
      anIncident({ key: { cluster: 'prod', pool: `pool-${index}`, kind: 'node-degraded' } }),
    );
    const url = await serveStatus({ views: calm, runs, incidents });

    const [ofRuns, ofIncidents, ofPools] = [
      await ask(url, ['get', 'runs']),
      await ask(url, ['get', 'incidents', '-o', 'json']),
      await ask(url, ['get', 'pools']),
    ];

    const noted = 'poolkeeper: 3 more runs are left out; --cluster asks for those of one cluster';
    expect(ofRuns).toMatchObject({ status: 1, noted: expect.stringContaining(noted) });
    expect(ofIncidents).toMatchObject({ status: 1, noted: expect.stringContaining('30 more incidents are left out') });
    expect(ofPools).toMatchObject({ status: 0, noted: '' });
  });

  test('[N-29] pools that Poolkeeper has no room for are counted, and told of, and exit 1', async () => {
    const [view = aView()] = calm;
    const url = await serveStatus({ views: [{ ...view, poolsLeftOut: { all: 11, paused: 2, degraded: 0 } }] });
    const left = '11 pools of prod are left out, for which there is no room';

    expect((await ask(url, ['status'])).said).toMatch(new RegExp(`2 pools paused[^]*  ${left}$`, 'm'));
    expect(await ask(url, ['get', 'pools'])).toMatchObject({ status: 1, noted: expect.stringContaining(left) });
    const wait = await ask(url, ['wait', 'p45', '--for', 'resumed', '--timeout', '1s']);
    expect(wait).toMatchObject({ status: 1, noted: expect.stringContaining(left) });
  });

  test('[N-29] [N-30] wait asks for the cluster where the page of all has no room for all of one', async () => {
    const headers = { accept: 'application/json', authorization: 'Bearer status-token' };
    const answer = await (await fetch(`${await serveStatus({ views: calm })}/status`, { headers })).json();
    const status = Status.parse(answer);
    const clusters = status.clusters.map((cluster) => ({ ...cluster, pools: [], inShort: true, poolsLeftOut: 27 }));
    const server = createServer((_request, response) => response.end(JSON.stringify({ ...status, clusters })));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const wait = await ask(url, ['wait', 'p45', '--for', 'resumed', '--timeout', '1s']);

    expect(wait).toMatchObject({ status: 2, noted: expect.stringContaining('--cluster is missing') });
  });

  test('[N-8] lists the windows of pools, and whether they are open', async () => {
    const configuration = readConfiguration(
      `clusters:
  - name: prod
    api: { server: https://api.prod.example.com:6443, tokenSecret: a/b }
    pools: { worker: {} }
    windows:
      - { kind: allow, schedule: 0 22 * * *, duration: 8h, pools: [worker] }
      - { kind: deny, calendarFrom: { url: 'https://calendar.example.com/a.ics?key=4711' }, pools: [gpu] }
argocd: [{ name: hub, cluster: prod }]
alerts: { targets: [] }
`,
      { source: 'poolkeeper.yaml' },
    );
    const url = await serveStatus({ views: calm, configuration });

    const usual = await ask(url, ['get', 'windows']);
    const yaml = await ask(url, ['get', 'windows', '-o', 'yaml']);

    expect(usual).toMatchObject({ status: 0, noted: '' });
    expect(usual.said).toMatch(/^CLUSTER +POOLS +NOW +UNTIL +WINDOWS$/m);
    expect(usual.said).toMatch(
      /^prod +worker +closed +2026-03-02T22:00:00.000Z +allow 0 22 \* \* \* for 8 h \(UTC\)$/m,
    );
    expect(usual.said).toMatch(/^prod +gpu +unknown +- +deny events of the calendar at calendar.example.com \(UTC\)$/m);
    expect(yaml.said).toContain('opensAt: 2026-03-02T22:00:00.000Z');
  });

  test('says that there is none, and of what that is known', async () => {
    const [whole, part] = [await serveStatus({ views: calm }), await serveStatus({ views: calm, isPartUnread: true })];

    const known = await ask(whole, ['get', 'incidents']);
    const unknown = await ask(part, ['get', 'incidents', '-o', 'wide']);
    const json = await ask(whole, ['get', 'windows', '-o', 'json']);

    expect(known).toEqual({ status: 0, said: '', noted: 'No incidents found.' });
    expect(unknown.noted).toContain('No incidents found in what could be read.');
    expect(unknown.said).toBe('');
    expect(json).toEqual({ status: 0, said: '[]\n', noted: '' });
  });

  test('gives the same as JSON and YAML', async () => {
    const url = await serveStatus({ views: holding });

    const [json, yaml] = [
      await ask(url, ['get', 'pools', '--output', 'json']),
      await ask(url, ['get', 'pools', '-o', 'yaml']),
    ];

    expect(JSON.parse(json.said)).toMatchObject([
      { cluster: 'prod', name: 'worker', pause: { whose: 'ours' } },
      { cluster: 'prod', name: 'infra' },
    ]);
    expect(yaml.said).toContain('whose: ours');
  });

  test('says which part could not be read, and exits 1', async () => {
    const { status, noted } = await ask(await serveStatus({ views: calm, isPartUnread: true }), ['get', 'incidents']);

    expect(status).toBe(1);
    expect(noted).toContain('the incidents could not be read');
  });

  test('[N-29] names a cluster that has not been read lately, and exits 1', async () => {
    const views = [aView({ cluster: 'prod', readAt: '2026-03-02T09:24:30.000Z' })];

    const { status, said, noted } = await ask(await serveStatus({ views }), ['get', 'pools', '-o', 'wide']);

    expect([status, said.includes('worker')]).toEqual([1, true]);
    expect(noted).toContain('prod: not read lately, last seen 1 h ago; what is listed of it may be over');
  });

  test('knows what there is to get, and which clusters', async () => {
    const url = await serveStatus({ views: calm });

    const answers = [
      await ask(url, ['get']),
      await ask(url, ['get', 'nodes']),
      await ask(url, ['get', 'pools', '--cluster', 'nowhere']),
      await ask(url, ['get', 'pools', '-o', 'xml']),
    ];

    expect(answers.map(({ status }) => status)).toEqual([2, 2, 2, 2]);
    expect(answers[1]?.noted).toContain('pools, incidents, holds, sequences, runs, windows');
    expect(answers[2]?.noted).toContain('knows no such cluster');
  });
});

describe('[N-33] poolkeeper wait', () => {
  test('ends when the pool is updated, and says on the way why it is not yet', async () => {
    const url = await serveStatus({ views: calm }, { views: later(held) }, { views: later(aPoolView()) });

    const { status, said, noted } = await ask(url, ['wait', 'worker']);

    expect([status, said]).toEqual([0, 'worker is updated\n']);
    expect(noted.split('\n')).toEqual([
      'worker is not updated yet: prod has not been read since you asked',
      'worker is not updated yet: a change waits, and it is paused',
    ]);
  });

  test.each([
    ['paused', 0],
    ['resumed', 1],
  ] as const)('a held pool that is waited for as %s ends with %i', async (state, expected) => {
    const url = await serveStatus({ views: later(held) });

    const { status } = await ask(url, ['wait', 'worker', '--for', state, '--timeout', '1m']);

    expect(status).toBe(expected);
  });

  test('a pause that the MCO has not observed is none yet', async () => {
    const url = await serveStatus({ views: later({ ...held, confirmed: false }) }, { views: later(held) });

    const { status, noted } = await ask(url, ['wait', 'worker', '--for', 'paused']);

    expect(status).toBe(0);
    expect(noted).toContain('the MCO has not observed the pause');
  });

  test('[N-29] a pool that a sync holds is not updated, though its change is not rendered yet', async () => {
    const { targetConfig: _, ...unrendered } = { ...held, pending: false, updated: true };
    const pool = aPoolView({
      ...unrendered,
      counts: { machines: 3, updated: 3, ready: 3, unavailable: 0, degraded: 0 },
    });

    const { status, noted } = await ask(await serveStatus({ views: later(pool) }), [
      'wait',
      'worker',
      '--timeout',
      '30s',
    ]);

    expect(status).toBe(1);
    expect(noted).toContain('it is held by openshift-gitops/nodes');
  });

  test('what cannot be seen is not so, and the time ends', async () => {
    const views = [aView({ cluster: 'prod', readAt: '2026-03-02T09:24:30.000Z' })];

    const { status, noted } = await ask(await serveStatus({ views }), ['wait', 'worker', '--timeout', '30s']);

    expect(status).toBe(1);
    expect(noted).toContain('prod cannot be seen');
  });

  test('a pool that is not there, one of two clusters, and a time that is none exit 2', async () => {
    const two = [aView({ cluster: 'prod', readAt }), aView({ cluster: 'test', readAt })];

    const answers = [
      await ask(await serveStatus({ views: calm }), ['wait', 'gpu']),
      await ask(await serveStatus({ views: two }), ['wait', 'worker']),
      await ask(await serveStatus({ views: calm }), ['wait', 'worker', '--timeout', 'soon']),
      await ask(await serveStatus({ views: calm }), ['wait']),
    ];

    expect(answers.map(({ status }) => status)).toEqual([2, 2, 2, 2]);
    expect(answers[1]?.noted).toContain('prod and test have a pool worker');
  });
});
