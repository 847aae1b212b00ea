import { describe, expect, it } from 'vitest';
import type { ApplicationRef } from '../../../functions/core/argocd/application.ts';
import { BadInput, Transient } from '../../../functions/core/text/errors.ts';
import { handshake } from '../../../functions/handshake/handshake.ts';
import type { Protection } from '../../../functions/handshake/protection.ts';
import { fakeClock, fakeIds, fakeLogger, fakeMetrics } from '../../fakes/index.ts';
import { answerOf, fakeSecrets, post } from '../receiving.ts';

const ref = { argocd: 'hub-1', namespace: 'openshift-gitops', name: 'nodes' };
const waiting: Protection = {
  kind: 'waiting',
  pools: [{ name: 'worker', why: 'the MCO has not observed the pause', isBrief: true }],
};
const isProtected: Protection = { kind: 'protected', pools: ['worker', 'infra'] };

interface Asked {
  readonly path?: string;
  readonly body?: unknown;
  readonly token?: string;
  /** What the first pass finds, the second, and so on; after the last one, that again. */
  readonly found: readonly (Protection | Error)[];
  /** How long one pass takes. */
  readonly passSeconds?: number;
}

async function ask({ path = '/handshake', body = ref, token = 'the-token', found, passSeconds = 0 }: Asked) {
  const clock = fakeClock();
  const started = clock.now().getTime();
  const asked: ApplicationRef[] = [];
  const logger = fakeLogger();
  const handle = handshake({
    newId: fakeIds(),
    secrets: fakeSecrets({ 'the-secret': ['the-token', 'the-old-token'] }),
    secret: 'the-secret',
    clock: clock.now,
    sleep: async (ms) => clock.advance(ms / 1000),
    async protect(application) {
      asked.push(application);
      clock.advance(passSeconds);
      const next = found[Math.min(asked.length, found.length) - 1];
      if (next === undefined || next instanceof Error) throw next;
      return next;
    },
    logger,
    metrics: fakeMetrics(),
  });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await answerOf(await handle(post(path, text, { authorization: `Bearer ${token}` })));
  return { ...answer, asked, logger, waitedSeconds: (clock.now().getTime() - started) / 1000 };
}

describe('a PreSync Job asks for its pools', () => {
  it('[S0-5] is answered at once when they are confirmed paused', async () => {
    const { status, body, asked, waitedSeconds } = await ask({ found: [isProtected] });

    expect(status).toBe(200);
    expect(body).toMatchObject({ confirmed: true, pools: ['worker', 'infra'] });
    expect(asked).toEqual([ref]);
    expect(waitedSeconds).toBe(0);
  });

  it('[S0-5] [N-30] is told which nodes nobody waits for, and why', async () => {
    const notWaitedFor = [{ name: 'worker', why: 'worker-2 has failed its update', isNotWaitedFor: true } as const];

    const { status, body } = await ask({ found: [{ kind: 'protected', pools: ['worker'], notWaitedFor }] });

    expect(status).toBe(200);
    expect(body).toMatchObject({ confirmed: true, notWaitedFor: ['worker: worker-2 has failed its update'] });
  });

  it('[S0-5] [N-29] leaves in the log which nodes nobody waited for, because Argo CD deletes a Job that has succeeded', async () => {
    const notWaitedFor = [{ name: 'worker', why: 'worker-2 has failed its update', isNotWaitedFor: true } as const];

    const { logger } = await ask({ found: [{ kind: 'protected', pools: ['worker'], notWaitedFor }] });

    expect(logger.lines).toContainEqual({
      level: 'info',
      message: 'request answered',
      fields: expect.objectContaining({
        application: 'openshift-gitops/nodes',
        notWaitedFor: ['worker: worker-2 has failed its update'],
      }),
    });
  });

  it('[S0-5] waits, looking every second, until the pause is confirmed', async () => {
    const { status, asked, waitedSeconds } = await ask({ found: [waiting, waiting, waiting, isProtected] });

    expect(status).toBe(200);
    expect(asked).toHaveLength(4);
    expect(waitedSeconds).toBe(3);
  });

  it('[N-30] [S0-6] is answered at once about what takes minutes, so that nobody takes all that waits', async () => {
    const nodes = { name: 'infra', why: '1 node of the previous rollout (infra-1) continues' };
    const { status, asked, waitedSeconds } = await ask({
      found: [{ kind: 'waiting', pools: [{ name: 'worker', why: 'not observed', isBrief: true }, nodes] }],
    });

    expect(status).toBe(409);
    expect(asked).toHaveLength(1);
    expect(waitedSeconds).toBe(0);
  });

  it('[S0-5] is told why, pool by pool, when it is not confirmed in time', async () => {
    const { status, body, waitedSeconds } = await ask({ found: [waiting] });

    expect(status).toBe(409);
    expect(body).toMatchObject({ confirmed: false, why: ['worker: the MCO has not observed the pause'] });
    expect(waitedSeconds).toBe(25);
  });

  it.each([
    [0, 0, 1],
    [3, 3, 4],
    [600, 25, 26],
  ])('[S0-5] that may wait %i s waits %i s, looking %i times', async (waitSeconds, waited, looks) => {
    const { waitedSeconds, asked } = await ask({ body: { ...ref, waitSeconds }, found: [waiting] });

    expect(waitedSeconds).toBe(waited);
    expect(asked).toHaveLength(looks);
  });

  it('[S0-5] is answered before the connection is given up, also when a pass takes long', async () => {
    const { status, asked, waitedSeconds } = await ask({ found: [waiting], passSeconds: 10 });

    expect(status).toBe(409);
    expect(asked).toHaveLength(2);
    expect(waitedSeconds).toBe(21);
  });

  it('[S0-5] may go on when its Application touches no pool', async () => {
    const { status, body } = await ask({
      found: [{ kind: 'nothing-to-protect', why: 'it manages no MachineConfig' }],
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({ confirmed: true, pools: [], reason: 'it manages no MachineConfig' });
  });

  it.each<[string, readonly (Protection | Error)[]]>([
    ['the cluster cannot be seen', [{ kind: 'blind', why: 'the API server does not answer' }]],
    ['a pass fails', [new Transient('https://10.0.0.1:6443 refused')]],
  ])('[S0-5] must not go on when %s until the time is up', async (_what, found) => {
    const { status, body, waitedSeconds } = await ask({ found });

    expect(status).toBe(503);
    expect(body).toMatchObject({ confirmed: false, why: [expect.any(String)] });
    expect(JSON.stringify(body)).not.toContain('10.0.0.1');
    expect(waitedSeconds).toBe(25);
  });

  it.each<[string, Protection | Error, string]>([
    ['its Application cannot be parsed', new Transient('spec.x of /a', { kind: 'invalid' }), 'cannot be parsed'],
    ['a right is missing', new Transient('403 from 10.0.0.1', { kind: 'forbidden' }), 'right'],
    ['the pass could not parse it', { kind: 'blind', why: 'cannot be parsed', lasts: true }, 'cannot be parsed'],
  ])(
    '[N-30] [S0-5] is answered at once when %s, so that nobody takes all that waits by an Application of theirs',
    async (_what, found, why) => {
      const { status, body, asked, waitedSeconds } = await ask({ found: [found] });

      expect(status).toBe(503);
      expect(body).toMatchObject({ confirmed: false, why: [expect.stringContaining(why)] });
      expect(JSON.stringify(body)).not.toContain('10.0.0.1');
      expect([asked.length, waitedSeconds]).toEqual([1, 0]);
    },
  );

  it('[S0-5] is confirmed after a pass that lost a race', async () => {
    const { status } = await ask({ found: [new Transient('lost', { kind: 'conflict' }), isProtected] });

    expect(status).toBe(200);
  });

  it('[S0-5] is told that its Application is not known', async () => {
    const { status, body, asked } = await ask({ found: [new BadInput('no such application', { status: 404 })] });

    expect(status).toBe(404);
    expect(body['reason']).toBe('no such application');
    expect(asked).toHaveLength(1);
  });

  it('[S0-5] learns nothing of our internals when something breaks', async () => {
    const { status, body } = await ask({ found: [new TypeError('x is undefined')] });

    expect(status).toBe(500);
    expect(body).toEqual({ reason: 'internal error', requestId: expect.any(String) });
  });
});

describe('the question of a PreSync Job', () => {
  it('may stand in the query, for jobs that have only a URL', async () => {
    const path = '/handshake?argocd=hub-1&namespace=openshift-gitops&name=nodes&waitSeconds=2';

    const { status, asked, waitedSeconds } = await ask({ path, body: '', found: [waiting] });

    expect(status).toBe(409);
    expect(asked[0]).toEqual(ref);
    expect(waitedSeconds).toBe(2);
  });

  it.each([
    ['name', { ...ref, name: '../secrets' }],
    ['namespace', { argocd: 'hub-1', name: 'nodes' }],
    ['waitSeconds', { ...ref, waitSeconds: -1 }],
    ['waitSeconds', { ...ref, waitSeconds: 'long' }],
  ])('is refused naming %s when that is wrong', async (field, body) => {
    const answer = await ask({ body, found: [isProtected] });

    expect(answer.status).toBe(400);
    expect(answer.body['reason']).toContain(`${field}: `);
    expect(answer.asked).toEqual([]);
  });

  it('needs one of the live tokens', async () => {
    const right = await ask({ token: 'the-old-token', found: [isProtected] });
    const wrong = await ask({ token: 'guess', found: [isProtected] });

    expect([right.status, wrong.status]).toEqual([200, 401]);
    expect(wrong.asked).toEqual([]);
  });

  it('is refused when it is no JSON or too large', async () => {
    const broken = await ask({ body: '{', found: [isProtected] });
    const large = await ask({ body: 'x'.repeat(20_000), found: [isProtected] });

    expect([broken.status, large.status]).toEqual([400, 413]);
  });
});
