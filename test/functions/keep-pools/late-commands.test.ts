import { describe, expect, test } from 'vitest';
import type { RequestAsked } from '../../../events/index.ts';
import { thawManually } from '../../../functions/core/holds/manual-freeze.ts';
import {
  addManualHold,
  type ManualChange,
  type ManualRequest,
  resumeManually,
} from '../../../functions/core/holds/manual-hold.ts';
import { withRunRequest } from '../../../functions/core/node-turns/run-record.ts';
import type { AskedRequest } from '../../../functions/core/requests/asked-request.ts';
import type { SteerRunRequest } from '../../../functions/core/requests/request.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { takeRequest } from '../../../functions/keep-pools/requests/take-request.ts';
import type { Pools } from '../../../functions/ports/cluster.ts';
import { aPool } from '../../fakes/index.ts';
import { anna, commands, freeze, hold, resume, runCommands, thaw } from './command-lab.ts';
import { type KeepLab, keepLab } from './keep-lab.ts';

const asAnna = `anna (Slack ${anna})`;

function withInfra(lab = keepLab()): KeepLab {
  lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-pool-infra' }));
  return lab;
}

const paused = (lab: KeepLab) => ['infra', 'worker'].map((name) => lab.pool(name).paused);

/** Commands, and what becomes of one whose worker fails. */
function lateCommands(lab = keepLab()) {
  const all = commands(lab);
  const { ports, deliver } = all;
  const { askedRequests } = ports;
  const { pools, reader, renderings } = lab.world;
  const withPatch = (patchPool: Pools['patchPool']) => ({
    ...ports,
    cluster: async () => ({ pools: { ...pools, patchPool }, reader, renderings }),
  });
  /** The patch of this pool is refused. */
  async function failAt(event: RequestAsked, name: string): Promise<void> {
    const half = withPatch(async (pool, change) => {
      if (pool.name === name) throw new Transient('no answer');
      return pools.patchPool(pool, change);
    });
    await expect(takeRequest(event, half)).rejects.toThrow('no answer');
  }
  /** All is written, and what the API server answers is lost. */
  async function loseAnswer(event: RequestAsked): Promise<void> {
    const half = withPatch(async (pool, change) => {
      await pools.patchPool(pool, change);
      throw new Transient('no answer');
    });
    await expect(takeRequest(event, half)).rejects.toThrow('no answer');
  }
  /** All is written, and the worker dies before it can note that. */
  async function die(event: RequestAsked): Promise<void> {
    let saves = 0;
    const dying = {
      ...askedRequests,
      load: askedRequests.load.bind(askedRequests),
      save: async (row: AskedRequest) => {
        saves += 1;
        if (saves > 1) throw new Transient('died');
        return askedRequests.save(row);
      },
    };
    await expect(takeRequest(event, { ...ports, askedRequests: dying })).rejects.toThrow('died');
  }
  async function failAltogether(event: RequestAsked): Promise<void> {
    const heal = lab.world.faults.failAll(['pools.list']);
    await expect(deliver(event)).rejects.toThrow(Transient);
    heal();
  }
  /** What the person is told who asked. */
  async function again(event: RequestAsked): Promise<string | undefined> {
    await deliver(event);
    return (await askedRequests.load(event.data.id))?.outcome?.said;
  }
  return { ...all, lab, failAt, loseAnswer, die, failAltogether, again };
}

/** As the command line does, under the name of bob. */
async function byBob(lab: KeepLab, change: (request: ManualRequest) => ManualChange, pool = 'worker'): Promise<void> {
  const { paused: isPaused, record } = change({ who: 'bob', why: 'CVE', now: lab.world.clock.now() });
  if (record !== undefined) await lab.world.pools.patchPool(lab.pool(pool), { paused: isPaused, record });
}

describe('[N-22] [S0-14] a command that the queue brings again or late undoes nothing that came after it', () => {
  test.each([
    ['hold', hold],
    ['freeze', freeze],
  ] as const)('[N-20] a %s that failed does not shorten the longer one that took its place', async (_, request) => {
    const { lab, ask, store, again, failAltogether } = lateCommands();
    const asked = await store({ ...request, forSeconds: 3600 });
    await failAltogether(asked);
    lab.world.clock.advance(60);
    await ask({ ...request, forSeconds: 8 * 3600, reason: 'takes all day' });
    lab.world.clock.advance(60);

    const told = await again(asked);
    await lab.pass(2 * 3600);

    expect(told).toBe(
      `Not done: ${asAnna} asked anew for pool worker at 2026-03-02T10:01:00.000Z, after that was asked; ask again.`,
    );
    expect(lab.record()?.holds.map(({ until }) => until)).toEqual(['2026-03-02T18:01:00.000Z']);
    expect(lab.pool().paused).toBe(true);
  });

  test.each([
    ['hold', hold],
    ['freeze', freeze],
  ] as const)('a %s is not there again after its own undo, which has ended it', async (_, request) => {
    const { lab, ask, store, again, loseAnswer } = lateCommands();
    const asked = await store(request);
    await loseAnswer(asked);
    lab.world.clock.advance(30);
    await ask({ ...request, forSeconds: 60, reason: 'wrong pool' });
    await lab.pass(120);
    const ended = lab.pool().paused;

    await again(asked);

    expect([ended, lab.pool().paused, lab.record()?.holds]).toEqual([false, false, []]);
  });

  test.each([
    ['renewed after it was asked', async ({ lab }: ReturnType<typeof lateCommands>) => lab.pass(1)],
    [
      'set over one that was overruled the day before',
      async ({ lab }: ReturnType<typeof lateCommands>) => {
        lab.world.pools.observe('worker');
        await lab.pass(120);
        lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
        await lab.pass(24 * 3600);
      },
    ],
  ] as const)('[N-20] a resume does not end a hold that was %s', async (_, meanwhile) => {
    const late = lateCommands();
    const { lab, ask, store, again, failAltogether } = late;
    await ask({ ...hold, forSeconds: 3 * 86_400 });
    await meanwhile(late);
    const asked = await store(resume);
    await failAltogether(asked);
    lab.world.clock.advance(60);
    await ask({ ...hold, reason: 'its node is open on the bench' });
    const heldAt = lab.world.clock.now().toISOString();

    const told = await again(asked);

    expect(told).toBe(`Not done: ${asAnna} holds pool worker since ${heldAt}, after that was asked; ask again.`);
    expect(lab.pool().paused).toBe(true);
  });

  test.each([
    ['whose answer was lost', 'loseAnswer'],
    ['whose worker died', 'die'],
  ] as const)('a hold %s does not come back after a resume', async (_, fail) => {
    const late = lateCommands();
    const { lab, ask, store, again } = late;
    const asked = await store(hold);
    await late[fail](asked);
    await lab.pass(30);
    await ask({ ...resume, reason: 'wrong pool' });
    await lab.pass(90);

    const told = await again(asked);

    expect(told).toBe(
      `Not done: ${asAnna} resumed pool worker at 2026-03-02T10:00:30.000Z, after that was asked; ask again.`,
    );
    expect([lab.pool().paused, lab.record()?.holds]).toEqual([false, []]);
  });

  test.each([
    ['before a pass has seen that', 0],
    ['once a pass has noted that', 60],
  ] as const)('[N-20] a hold does not come back after somebody resumed the pool with oc, %s', async (_, seconds) => {
    const { lab, store, again, loseAnswer } = lateCommands();
    const asked = await store(hold);
    await loseAnswer(asked);
    lab.world.pools.observe('worker');
    await lab.pass(60);
    lab.world.pools.change('worker', 'oc', { paused: false });
    if (seconds > 0) await lab.pass(seconds);
    lab.world.clock.advance(5);

    const told = await again(asked);

    expect(told).toMatch(/^Not done: oc resumed pool worker at 2026-03-02T10:01:00(?:\.000)?Z, after that was asked;/);
    expect(lab.pool().paused).toBe(false);
  });

  test('a resume that an earlier command line has noted counts, too, and one by a program does not', async () => {
    const { lab, store, again, loseAnswer } = lateCommands();
    const asked = await store(hold);
    await loseAnswer(asked);
    await lab.pass(60);
    await byBob(lab, (request) => resumeManually(lab.pool(), request));
    const { words: _, ...record } = lab.record() ?? { v: 1, holds: [] };
    const letGo = { at: lab.world.clock.now().toISOString(), by: 'argocd-controller', config: 'rendered-worker-1' };
    await lab.world.pools.patchPool(lab.pool(), { paused: false, record });

    const told = await again(asked);
    const other = lateCommands();
    const program = { at: letGo.at, holds: [] };
    const askedThere = await other.store(hold);
    other.lab.world.clock.advance(60);
    await other.lab.world.pools.patchPool(other.lab.pool(), {
      paused: false,
      record: { v: 1, holds: [], letGo: { ...letGo, program } },
    });

    expect(told).toMatch(/^Not done: bob resumed pool worker at 2026-03-02T10:01:00.000Z/);
    expect(await other.again(askedThere)).toContain('prod/worker is paused');
  });

  test('a command that nobody has spoken after is carried out however late, also past what was asked before it', async () => {
    const { lab, ask, store, again } = lateCommands();
    const later = await store({ ...hold, forSeconds: 3600 }, { at: '2026-03-02T10:02:00.000Z' });
    await ask(hold);
    lab.world.clock.advance(180);
    const asked = await store(resume, { id: 'command-9', at: '2026-03-02T10:01:00.000Z' });
    await again({ ...asked, data: { ...asked.data, id: 'command-9' } });
    const resumed = lab.pool().paused;

    const told = await again(later);

    expect([resumed, lab.pool().paused]).toEqual([false, true]);
    expect(told).toContain('held until 2026-03-02T11:02Z');
  });

  test.each([
    ['hold', hold],
    ['freeze', freeze],
    ['freeze', { ...freeze, pool: '*' }],
  ] as const)('a %s that is only brought again is answered as done, and changes nothing', async (_, request) => {
    const { lab, store, again, loseAnswer } = lateCommands();
    const asked = await store(request);
    lab.world.clock.advance(2);
    await loseAnswer(asked);
    const [{ resourceVersion }, record] = [lab.pool(), lab.record()];

    const first = await again(asked);

    expect(first).toContain('prod/worker was already paused by Poolkeeper');
    expect(lab.record()).toEqual(record);
    expect(lab.pool().resourceVersion).toBe(resourceVersion);
  });

  test('holds of several people stand beside each other, whoever is brought first', async () => {
    const { lab, store, again, failAltogether } = lateCommands();
    const asked = await store(hold);
    await failAltogether(asked);
    lab.world.clock.advance(60);
    await byBob(lab, (request) => addManualHold(lab.pool(), new Date('2026-03-02T11:00:00Z'), request));

    await again(asked);

    expect(lab.record()?.holds.map(({ who }) => who)).toEqual(['bob', asAnna]);
  });
});

describe('[N-21] [S0-14] of several pools', () => {
  test.each([
    ['which all pools had got by then', 60],
    ['which one pool alone had got', 0],
  ] as const)('a freeze that was half done, and thawed, %s, is not there again', async (_, seconds) => {
    const { lab, ask, store, again, failAt } = lateCommands(withInfra());
    const asked = await store({ ...freeze, pool: '*' });
    await failAt(asked, 'worker');
    if (seconds > 0) await lab.pass(seconds);
    else lab.world.clock.advance(1);
    await ask({ ...thaw, pool: '*' });
    await lab.pass(60);

    const told = await again(asked);
    await lab.pass(60);

    expect(told).toMatch(/^Not done: anna .* thawed pool infra at .*, after that was asked; ask again/);
    expect(paused(lab)).toEqual([false, false]);
  });

  test('a freeze that was half done is completed where nobody has decided since, and nowhere else', async () => {
    const { lab, ask, store, again, failAt } = lateCommands(withInfra());
    await ask(hold);
    lab.world.clock.advance(1);
    const asked = await store({ ...freeze, pool: '*' });
    await failAt(asked, 'infra');
    lab.world.clock.advance(1);
    await byBob(lab, (request) => resumeManually(lab.pool(), request));

    const told = await again(asked);
    await lab.pass(300);

    expect(told?.split('\n').toSorted()).toEqual([
      expect.stringMatching(/^prod\/infra .*, frozen until 2026-03-02T14:00Z$/),
      expect.stringMatching(/^prod\/worker stays as it is: bob resumed pool worker at .*, after that was asked/),
    ]);
    expect(paused(lab)).toEqual([true, false]);
    expect(lab.record()?.thawed).toMatchObject([{ by: 'bob', here: true }]);
  });

  test('a thaw of one pool stands when the freeze of all is completed', async () => {
    const { lab, store, again, failAt } = lateCommands(withInfra());
    const asked = await store({ ...freeze, pool: '*' });
    await failAt(asked, 'worker');
    lab.world.clock.advance(1);
    await byBob(lab, (request) => thawManually(lab.pool('infra'), { scope: 'pool' }, request), 'infra');

    await again(asked);
    await lab.pass(60);

    expect(paused(lab)).toEqual([false, true]);
  });

  test('a thaw of all ends no freeze of one that came after it, and the others end', async () => {
    const { lab, ask, store, again, failAltogether } = lateCommands(withInfra());
    await ask({ ...freeze, pool: '*' });
    const asked = await store({ ...thaw, pool: '*' });
    await failAltogether(asked);
    lab.world.clock.advance(1);
    await ask({ ...freeze, reason: 'disks of the workers' });

    const told = await again(asked);
    await lab.pass(60);

    expect(told).toContain('prod/infra is thawed');
    expect(told).toContain('prod/worker stays as it is');
    expect(paused(lab)).toEqual([false, true]);
  });

  test('an older freeze of all that only one pool had does not outlast the newer one that this thaw was asked before', async () => {
    const { lab, store, again, failAt, ask } = lateCommands(withInfra());
    await ask({ ...freeze, pool: '*', forSeconds: 3600 });
    lab.world.clock.advance(1);
    const asked = await store({ ...thaw, pool: '*' });
    lab.world.clock.advance(1);
    const anew = await store({ ...freeze, pool: '*', forSeconds: 28_800 });
    await failAt(anew, 'worker');

    await again(asked);
    await lab.pass(60);

    expect(paused(lab)).toEqual([true, true]);
    expect(lab.record()?.holds.map(({ until }) => until)).toEqual(['2026-03-02T18:00:02.000Z']);
  });
});

describe('[S4-13] [S0-14] of a run the last word counts', () => {
  type Act = SteerRunRequest['act'];
  const steer = (act: Act) => ({ kind: 'steer-run', act, run: 'upgrade', reason: `${act}, please` }) as const;

  test.each([
    ['abort', 'go-on'],
    ['pause', 'go-on'],
    ['abort', 'start'],
    ['pause', 'start'],
    ['start', 'pause'],
    ['go-on', 'pause'],
    ['go-on', 'abort'],
    ['start', 'go-on'],
  ] as const)('%s, which the queue brings after a later %s, is not done', async (early, late) => {
    const lab = keepLab();
    const { run, said } = runCommands(lab);
    const at = lab.world.clock.now().toISOString();
    lab.world.clock.advance(60);
    await said(steer(late));
    const before = run.stored;

    const outcome = await said(steer(early), { at });

    expect(outcome?.said).toMatch(
      /^Not done: anna .* (?:said (?:go-on|start)|stopped the run) after that was asked: .*, please\.$/,
    );
    expect(run.stored).toBe(before);
  });

  test('a start does not take a node that somebody has skipped after it was asked', async () => {
    const lab = keepLab();
    const skipped = { who: 'bob', why: 'its disk is broken', at: '2026-03-02T10:01:00.000Z' };
    const record = withRunRequest(
      { v: 1, pools: {}, turns: {}, log: [] },
      { kind: 'skip', node: 'worker-1', said: skipped },
    );
    const { said } = runCommands(lab, record);
    lab.world.clock.advance(120);

    const outcome = await said(steer('start'), { at: '2026-03-02T10:00:00.000Z' });

    expect(outcome?.said).toBe('Not done: bob said skip after that was asked: its disk is broken.');
  });

  test('what is only brought again is answered as done, and changes nothing', async () => {
    const { run, said } = runCommands();
    await said(steer('pause'));
    const before = run.stored;

    const outcome = await said(steer('pause'));

    expect(outcome).toEqual({ said: 'Run upgrade is paused: what has begun goes on, no further node goes.' });
    expect(run.stored).toBe(before);
  });
});
