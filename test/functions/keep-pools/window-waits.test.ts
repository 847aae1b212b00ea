import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { GateTimeouts } from '../../../functions/core/configuration/gate-timeouts.ts';
import type { Policy } from '../../../functions/core/configuration/policy.ts';
import { Ticket } from '../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { addManualHold } from '../../../functions/core/holds/manual-hold.ts';
import { fieldManager } from '../../../functions/core/openshift/hold.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { aPool } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

const hour = 3600;
const counts = { machines: 3, updated: 0, ready: 3, unavailable: 0, degraded: 0 };

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
async function waiting(options: LabOptions, pools: readonly string[] = ['worker']) {
  const lab = keepLab({ ...options, policy: { pausedAtMostSeconds: 1800, ...options.policy } });
  for (const name of pools) lab.world.pools.put(aPool({ name, uid: name }));
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  for (const name of pools)
    lab.world.pools.change(name, 'machine-config-controller', {
      target: { name: `rendered-${name}-bbb`, sources: ['99-worker-ssh'] },
      counts,
    });
  await lab.pass(60);
  return lab;
}

/** Pools that are told as paused too long. */
function tooLong(lab: KeepLab): readonly (string | undefined)[] {
  const firing = lab.world.tables.incidents.all().filter(({ state }) => state === 'firing');
  return firing.filter(({ key }) => key.kind === 'paused-too-long').map(({ key }) => key.pool);
}

function opened(lab: KeepLab): number {
  return lab.told().filter((type) => type === 'incident.opened').length;
}

/** Somebody holds pool infra. */
function hold(lab: KeepLab, seconds: number): void {
  const now = lab.world.clock.now();
  const until = new Date(now.getTime() + seconds * 1000);
  const { record } = addManualHold(lab.pool('infra'), until, { who: 'ann', why: 'a test', now });
  if (record) lab.world.pools.change('infra', fieldManager, { paused: true, record: { kind: 'record', record } });
}

async function closedGates(lab: KeepLab) {
  const [view] = await lab.ports.views.list();
  return view?.pools[0]?.closedGates.filter(({ unread }) => unread !== true) ?? [];
}

describe('[N-8] [N-29] [S1-13] pools of two waves that wait for one window', () => {
  const fromThree = Window.parse({ kind: 'allow', schedule: '0 15 * * *', durationSeconds: 8 * hour });
  const infra = { ...defaultPoolSettings, wave: 0 };
  const worker = { ...defaultPoolSettings, wave: 1 };
  const both = ['infra', 'worker'];

  test.each([
    ['of both', []],
    ['of the lower one alone', ['infra']],
  ])('the higher is told no earlier than the lower, nor while that one rolls: %s', async (_, pools) => {
    const lab = await waiting({ windows: [{ ...fromThree, pools }], pools: { infra, worker } }, both);

    await lab.pass(5 * hour - 600);
    const before = [lab.pool('infra').paused, lab.pool().paused, ...tooLong(lab)];
    await lab.pass(900);
    const rolling = [lab.pool('infra').paused, lab.pool().paused, ...tooLong(lab)];
    await lab.pass(1800);

    expect([before, rolling]).toEqual([
      [true, true],
      [false, true],
    ]);
    expect(tooLong(lab)).toEqual(['worker']);
    expect(lab.told().filter((type) => type === 'incident.opened').length).toBeGreaterThan(0);
  });

  test('a timeout that is configured for gate wave counts as ever', async () => {
    const gates: GateTimeouts = { wave: { afterSeconds: hour, action: 'alert' } };
    const lab = await waiting({ windows: [fromThree], pools: { infra, worker }, policy: { gates } }, both);

    await lab.pass(hour);

    expect(tooLong(lab)).toEqual(['worker']);
  });

  test.each([
    ['waits for an approval', 'approve'],
    ['is held by a person', 'hold'],
    ['is degraded', 'degraded'],
  ])('a lower one that %s is told, and the higher behind it', async (_, how) => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
    const own = how === 'approve' ? { ...infra, approve } : infra;
    const lab = await waiting({ windows: [fromThree], pools: { infra: own, worker } }, both);
    if (how === 'hold') hold(lab, 4 * hour);
    if (how === 'degraded')
      lab.world.pools.change('infra', 'machine-config-controller', {
        counts: { ...counts, degraded: 1 },
        conditions: [
          { type: 'NodeDegraded', status: 'True', reason: '', message: 'x', since: '2026-03-02T10:02:00Z' },
          { type: 'Degraded', status: 'True', reason: '', message: 'x', since: '2026-03-02T10:02:00Z' },
        ],
      });

    await lab.pass(2 * hour);

    expect(tooLong(lab)).toContain('worker');
    if (how === 'degraded') expect(lab.troubles().length).toBeGreaterThan(1);
    else expect(tooLong(lab)).toContain('infra');
  });

  test('something that holds the lower one for minutes makes no difference', async () => {
    const lab = await waiting({ windows: [fromThree], pools: { infra, worker } }, both);
    await lab.pass(2 * hour);
    hold(lab, 180);

    await lab.pass(600);

    expect(opened(lab)).toBe(0);
  });
});

const ticket = Ticket.parse({ url: 'https://itsm.example.com/{config}', path: 'state', equals: 'approved' });

describe('[N-8] [N-17] [N-29] a ticket that is not approved, in windows at whose end no node fits', () => {
  /** It is asked only while a node fits into them, for a quarter of an hour. */
  async function ticketed(schedule: string, policy: Partial<Policy> = {}) {
    const windows = [Window.parse({ kind: 'allow', schedule, durationSeconds: 2700 })];
    const asked: string[] = [];
    const answer: { value: string | Error } = { value: 'assess' };
    const lab = await waiting({ windows, pools: { worker: { ...defaultPoolSettings, ticket } }, policy });
    const ask = async () => {
      asked.push(lab.world.clock.now().toISOString().slice(11, 13));
      if (answer.value instanceof Error) throw answer.value;
      return { status: 200, value: answer.value };
    };
    Object.assign(lab.ports, { tickets: { ask } });
    return { lab, asked, answer };
  }

  test.each([
    ['by the age of the pause', {}],
    [
      'by the time of its gate',
      { pausedAtMostSeconds: 24 * hour, gates: { ticket: { afterSeconds: 600, action: 'alert' } } },
    ],
    ['by the age, where its gate waits', { gates: { ticket: { afterSeconds: hour, action: 'wait' } } }],
  ] as const)('are one incident, told %s, until it is', async (_, policy) => {
    const { lab, asked, answer } = await ticketed('0 12,14,16 * * *', policy);
    const course: unknown[] = [];

    for (let half = 0; half < 10; half += 1) {
      await lab.pass(1800);
      course.push([lab.world.clock.now().toISOString().slice(11, 16), ...tooLong(lab)].join(' '));
    }
    answer.value = 'approved';
    await lab.pass(hour + 180);

    expect(course.slice(-6)).toEqual(
      ['12:32', '13:02', '13:32', '14:02', '14:32', '15:02'].map((time) => `${time} worker`),
    );
    expect([lab.pool().paused, tooLong(lab), opened(lab)]).toEqual([false, [], 1]);
    expect(new Set(asked)).toEqual(new Set(['12', '14', '16']));
  });

  test('are one incident also where the ticket system fails later on', async () => {
    const { lab, answer } = await ticketed('0 12,14,16 * * *', { pausedAtMostSeconds: 4 * hour });

    await lab.pass(3 * hour);
    answer.value = new Transient('no answer in time');
    await lab.pass(6 * hour);

    expect([tooLong(lab), opened(lab)]).toEqual([['worker'], 1]);
  });

  test('says what else is needed while the window is closed', async () => {
    const { lab } = await ticketed('0 12,14 * * *');

    await lab.pass(3 * hour);

    const told = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');
    const said = told?.trouble?.findings.flatMap(({ because, sentence }) => [
      sentence,
      ...because.map((each) => each.sentence),
    ]);
    expect(said?.join(' ')).toMatch(/Gate window: .*Gate ticket: .*Needed: state = approved/);
  });

  test('that closed before it lasted too long are told in the next one, not between', async () => {
    const { lab } = await ticketed('0 12,15 * * *', { pausedAtMostSeconds: 3 * hour });

    await lab.pass(4.5 * hour);
    const between = tooLong(lab);
    await lab.pass(hour);

    expect([between, tooLong(lab)]).toEqual([[], ['worker']]);
  });
});

describe('[N-9] [N-16] [N-29] a rollout that never fits into its windows', () => {
  const everyOther = Window.parse({ kind: 'allow', schedule: '0 */2 * * *', durationSeconds: hour });
  const saturday = Window.parse({ kind: 'allow', schedule: '0 8 * * 6', durationSeconds: 8 * hour });
  const pools = { worker: { ...defaultPoolSettings, overrun: 'wait' as const } };

  test('is one incident, and its page says so while its window is closed', async () => {
    const lab = await waiting({ windows: [everyOther], pools });

    await lab.pass(1.5 * hour);
    const closed = await closedGates(lab);
    await lab.pass(4 * hour);

    expect(closed.map(({ gate, since }) => [gate, since])).toEqual([
      ['window', '2026-03-02T11:00:00.000Z'],
      ['fit', '2026-03-02T10:02:00.000Z'],
    ]);
    expect([tooLong(lab), opened(lab)]).toEqual([['worker'], 1]);
    expect(lab.told()).not.toContain('incident.resolved');
  });

  test('says when the first opening is that is long enough, and waits for it untold', async () => {
    const lab = await waiting({ windows: [everyOther, saturday], pools });

    await lab.pass(1.5 * hour);
    const closed = await closedGates(lab);
    await lab.pass(2 * hour);

    expect(closed.find(({ gate }) => gate === 'fit')).toMatchObject({
      opensAt: '2026-03-07T08:00:00.000Z',
      why: 'the rollout may take 90 min (3 nodes, one at a time, up to 30 min each), and its next window is open for 60 min',
    });
    expect(tooLong(lab)).toEqual([]);
  });

  test.each([
    ['resume', false],
    ['drop', true],
    ['alert', true],
  ] as const)('%s comes when it is due, over several openings', async (action, isPaused) => {
    const policy = { pausedAtMostSeconds: 24 * hour, gates: { fit: { afterSeconds: 5 * hour, action } } };
    const lab = await waiting({ windows: [everyOther], pools, policy });

    await lab.pass(4.9 * hour);
    const early = [lab.pool().paused, tooLong(lab)];
    await lab.pass(1.2 * hour);

    expect(early).toEqual([true, []]);
    expect(lab.pool().paused).toBe(isPaused);
    expect(lab.record()?.last?.did).toBe(action === 'drop' ? 'left' : action === 'resume' ? 'resumed' : 'paused');
    expect(tooLong(lab)).toEqual(action === 'resume' ? [] : ['worker']);
  });

  test('goes past a window that is skipped, as ever', async () => {
    const gates: GateTimeouts = { window: { afterSeconds: hour, action: 'resume' } };
    const evening = Window.parse({ kind: 'allow', schedule: '0 20 * * *', durationSeconds: hour });
    const lab = await waiting({ windows: [evening], pools, policy: { gates } });

    await lab.pass(1.5 * hour);

    expect(lab.pool().paused).toBe(false);
  });
});
