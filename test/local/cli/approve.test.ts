import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { ApprovalAsked } from '../../../events/index.ts';
import type { GateView } from '../../../functions/core/gates/gate-view.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import type { ClusterView } from '../../../functions/core/timeline/view.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { approve } from '../../../local/cli/approve.ts';
import type { Surroundings } from '../../../local/cli/command.ts';
import { startLocalServer } from '../../../local/run/local-server.ts';
import { aPoolView, aView, fakeClock, fakeIds, fakeLogger, fakeTables } from '../../fakes/index.ts';
import { startFakeAws } from '../../functions/fake-aws.ts';
import { enterLambda, leaveLambda } from '../../functions/lambda-environment.ts';

const config = 'rendered-worker-bbb';
const gate = {
  gate: 'approval',
  why: `${config} needs 2 approvals: nobody has approved`,
  value: '0 of 2 approvals',
  threshold: '2 approvals',
  since: '2026-03-02T10:00:00Z',
  opens: '2 more approvals',
  who: 'slack:U0123456789 and aws:AIDAANNA12345678',
  approves: config,
};

let said = '';
let noted = '';
const surroundings: Surroundings = {
  out: (text) => {
    said += text;
  },
  note: (text) => {
    noted += text;
  },
  environment: { USER: 'anna' },
  now: () => new Date('2026-03-02T10:00:00.000Z'),
};

afterEach(() => {
  said = '';
  noted = '';
  leaveLambda();
});

async function deployed(waits = true, change: Partial<GateView> = {}, others: readonly ClusterView[] = []) {
  const aws = await startFakeAws({});
  onTestFinished(() => aws.close());
  enterLambda(aws.env);
  const tables = fakeTables();
  const pool = aPoolView({
    paused: true,
    pending: true,
    targetConfig: config,
    closedGates: waits ? [{ ...gate, ...change }] : [],
  });
  await tables.views.save(aView({ cluster: 'prod', readAt: '2026-03-02T10:00:00Z', pools: [pool] }));
  for (const view of others) await tables.views.save(view);
  const clock = fakeClock('2026-03-02T10:00:00Z').now;
  const configuration = { clusters: [], argocd: [], alerts: { targets: [], statusUrl: undefined } };
  const page = statusOf({ ...tables, configuration, clock, newId: fakeIds(), logger: fakeLogger() });
  const server = await startLocalServer({ '* /status': page }, 0);
  onTestFinished(() => server.stop());
  const queue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/alerts`;
  const asked = () => (aws.sent.get(queue) ?? []).map((body) => ApprovalAsked.parse(JSON.parse(body)).data);
  return { queue, status: server.url, asked };
}

describe('[N-17] poolkeeper approve', () => {
  test('approves the config that waits, by the status page, and prints it', async () => {
    const { queue, status, asked } = await deployed();

    const exit = await approve.run(
      ['--pool', 'worker', '--reason', 'reviewed', '--queue', queue, '--status', status],
      surroundings,
    );

    expect(exit).toBe(0);
    expect(asked()).toEqual([
      {
        verb: 'approve',
        cluster: 'prod',
        pool: 'worker',
        config,
        by: 'anna',
        reason: 'reviewed',
        askedAt: '2026-03-02T10:00:00.000Z',
      },
    ]);
    expect(said).toContain(`Requested: approve ${config} of prod/worker.`);
    expect(said).toContain('needs 2 approvals');
    expect(said).not.toContain('image mode');
  });

  test('approves and revokes the config that is named, without a status page', async () => {
    const { queue, asked } = await deployed();
    const named = ['--pool', 'worker', '--cluster', 'prod', '--config', 'rendered-worker-ccc', '--queue', queue];

    await approve.run([...named, '--reason', 'reviewed'], surroundings);
    await approve.run([...named, '--reason', 'wait for the database', '--revoke'], surroundings);

    expect(asked().map(({ verb, config: of }) => [verb, of])).toEqual([
      ['approve', 'rendered-worker-ccc'],
      ['revoke', 'rendered-worker-ccc'],
    ]);
    // An approval of the rendered config is none of an image of it; its revocation is one of each.
    expect(said.match(/in image mode for nothing/g)).toHaveLength(1);
  });

  test('[N-29] [N-30] finds what waits on a cluster that the page of all leaves out, and takes an approval of it back', async () => {
    const degraded = aPoolView({ name: 'infra', degraded: true });
    const others = Array.from({ length: 60 }, (_, nth) =>
      aView({ cluster: `a${nth}`, readAt: '2026-03-02T10:00:00Z', pools: [degraded] }),
    );
    const { queue, status, asked } = await deployed(true, {}, others);
    const of = ['--pool', 'worker', '--cluster', 'prod', '--reason', 'reviewed', '--queue', queue, '--status', status];

    await approve.run(of, surroundings);
    await approve.run([...of, '--config', config, '--revoke'], surroundings);

    expect(asked().map(({ verb, config: named }) => [verb, named])).toEqual([
      ['approve', config],
      ['revoke', config],
    ]);
  });

  test('[N-30] approves the image that waits with the config, and prints it; a revocation takes back every image', async () => {
    const named = `${config}@sha256:${'0b'.repeat(32)}`;
    const waiting = await deployed(true, { approves: named });
    const of = ['--pool', 'worker', '--reason', 'reviewed'];
    await approve.run([...of, '--queue', waiting.queue, '--status', waiting.status], surroundings);
    const over = await deployed(false);
    await approve.run([...of, '--revoke', '--queue', over.queue, '--status', over.status], surroundings);

    expect(waiting.asked()).toMatchObject([{ verb: 'approve', config: named }]);
    expect(said).toContain(`Requested: approve ${named} of prod/worker.`);
    expect(said).not.toContain('image mode');
    expect(over.asked()).toMatchObject([{ verb: 'revoke', config }]);
  });

  test('[N-30] requests nothing while the image is not built, and says so', async () => {
    const why = `nobody is asked to approve ${config} before its image is there: it waits for image build worker-9a8b`;
    const { queue, status, asked } = await deployed(true, { why, approves: undefined });

    const exit = await approve.run(
      ['--pool', 'worker', '--reason', 'reviewed', '--queue', queue, '--status', status],
      surroundings,
    );

    expect([exit, asked()]).toEqual([1, []]);
    expect(noted).toContain(`nothing can be approved in pool worker now: ${why}`);
  });

  test('requests nothing where nothing waits', async () => {
    const { queue, status, asked } = await deployed(false);

    const exit = await approve.run(
      ['--pool', 'worker', '--reason', 'reviewed', '--queue', queue, '--status', status],
      surroundings,
    );

    expect([exit, asked()]).toEqual([1, []]);
    expect(noted).toContain('nothing waits for approval in pool worker');
  });

  test('[N-17] [N-29] of a pool that cannot be parsed does not say that nothing waits, and takes what is named in full', async () => {
    const unparsed = aView({
      cluster: 'dev',
      readAt: '2026-03-02T10:00:00Z',
      pools: [],
      unreadablePools: [{ name: 'infra' }],
    });
    const { queue, status, asked } = await deployed(false, {}, [unparsed]);
    const of = ['--pool', 'infra', '--reason', 'reviewed', '--queue', queue, '--status', status];

    const exit = await approve.run(of, surroundings);
    await approve.run([...of, '--cluster', 'dev', '--config', config], surroundings);

    expect(exit).toBe(1);
    expect(noted).toContain('pool infra of dev cannot be parsed: whether it is paused is not known');
    expect(noted).not.toContain('nothing waits');
    expect(asked()).toMatchObject([{ verb: 'approve', cluster: 'dev', pool: 'infra', config }]);
  });

  test('says everything that is missing at once', async () => {
    await expect(approve.run(['--revoke'], surroundings)).rejects.toThrow(Misconfigured);
    const cause = await approve.run(['--revoke'], surroundings).catch((error: unknown) => error);
    expect(cause).toMatchObject({
      problems: [
        expect.stringContaining('--pool is missing'),
        expect.stringContaining('--reason is missing'),
        expect.stringContaining('--queue is missing'),
        expect.stringContaining('--status is missing'),
      ],
    });
  });
});
