import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { ApprovalAsked } from '../../../events/index.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
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

async function deployed(waits = true) {
  const aws = await startFakeAws({});
  onTestFinished(() => aws.close());
  enterLambda(aws.env);
  const tables = fakeTables();
  const pool = aPoolView({ paused: true, pending: true, targetConfig: config, closedGates: waits ? [gate] : [] });
  await tables.views.save(aView({ cluster: 'prod', readAt: '2026-03-02T10:00:00Z', pools: [pool] }));
  const clock = fakeClock('2026-03-02T10:00:00Z').now;
  const configuration = { clusters: [], argocd: [], alerts: { targets: [], statusUrl: undefined } };
  const page = statusOf({ ...tables, configuration, clock, newId: fakeIds(), logger: fakeLogger() });
  const server = await startLocalServer({ '* /status': page }, 0);
  onTestFinished(() => server.stop());
  const queue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/alerts`;
  const asked = () => (aws.sent.get(queue) ?? []).map((body) => ApprovalAsked.parse(JSON.parse(body)).data);
  return { queue, status: server.url, asked };
}

describe('[N-17] npx poolkeeper approve', () => {
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
