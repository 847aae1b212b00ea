import { afterEach, describe, expect, test } from 'vitest';
import type { Posted } from '../../../functions/adapters/messengers/http-post.ts';
import { pagerDutyMessenger } from '../../../functions/adapters/messengers/pager-duty.ts';
import { attend, isAttended } from '../../../functions/core/alerts/attention.ts';
import { isFailing } from '../../../functions/core/alerts/notify-failing.ts';
import type { AlertTarget } from '../../../functions/core/configuration/alerts.ts';
import { aDelivery } from '../../fakes/builders.ts';
import { fc, runs } from '../../property.ts';
import { drainBlocked } from '../core/alerts/samples.ts';
import { openSendLab, type SendLab, slackTarget } from './send-alerts-lab.ts';

const key = drainBlocked.key;
const audience = { hear: ['on-call'], all: ['on-call'] };
const eventsUrl = 'https://events.pagerduty.com/v2/enqueue';
const pages: AlertTarget = {
  kind: 'pagerduty',
  name: 'on-call',
  routingKeySecret: 'key',
  eventsUrl,
  filter: slackTarget.filter,
};

/** What becomes of one call. */
type Fate = 'taken' | 'refused' | 'refused for hours' | 'lost' | 'taken, and no answer';

interface Pager {
  readonly lab: SendLab;
  /** Open alerts by key: whether somebody is being called. */
  readonly open: ReadonlyMap<string, 'triggered' | 'acknowledged'>;
  readonly calls: readonly string[];
  /** The next calls; after them all are taken. */
  fates: Fate[];
  take(seconds: number): Promise<void>;
}

let opened: SendLab[] = [];

afterEach(async () => {
  for (const lab of opened) await lab.close();
  opened = [];
});

function take(open: Map<string, 'triggered' | 'acknowledged'>, action: string, alert: string): void {
  if (action === 'trigger' && !open.has(alert)) open.set(alert, 'triggered');
  if (action === 'acknowledge' && open.has(alert)) open.set(alert, 'acknowledged');
  if (action === 'resolve') open.delete(alert);
}

/** The messenger itself, and a PagerDuty as it is documented: a trigger of an open alert, and the acknowledgement of
 *  one it does not know, do nothing. */
async function aPager(keys: readonly string[] = ['integration-key']): Promise<Pager> {
  const open = new Map<string, 'triggered' | 'acknowledged'>();
  const calls: string[] = [];
  const post = async ({ body }: { readonly body: string }): Promise<Posted> => {
    const { event_action: action, dedup_key: alert, routing_key: integration } = JSON.parse(body);
    const fate = pager.fates.shift() ?? 'taken';
    calls.push(`${action} ${alert.split('|').slice(5).join('|') || 'first'}: ${fate}`);
    if (fate === 'refused') return { kind: 'answered', status: 429, retryAfterSeconds: 60, body: '' };
    if (fate === 'refused for hours') return { kind: 'answered', status: 429, retryAfterSeconds: 21_600, body: '' };
    if (fate === 'lost') return { kind: 'cut off', why: 'timed out' };
    take(open, action, `${integration} ${alert}`);
    return fate === 'taken'
      ? { kind: 'answered', status: 202, retryAfterSeconds: undefined, body: '{}' }
      : { kind: 'cut off', why: 'timed out' };
  };
  const secrets = { read: async () => keys };
  const lab = await openSendLab({
    targets: [pages],
    policy: { flapChanges: 99 },
    wrap: () => pagerDutyMessenger({ eventsUrl, routingKeySecret: 'key', secrets, post }),
  });
  lab.clock.set('2026-03-02T14:01:40Z');
  opened.push(lab);
  const pager: Pager = {
    lab,
    open,
    calls,
    fates: [],
    take: async (forSeconds) => {
      const wish = { kind: 'acknowledged', by: 'anna', reason: '', forSeconds } as const;
      const now = lab.clock.now();
      const asked = attend(
        await lab.incident(key),
        { ...wish, askedAt: now.toISOString() },
        { now, targets: audience },
      );
      if (asked.kind === 'attended') await lab.tables.incidents.save(asked.incident);
    },
  };
  return pager;
}

const wrong = { kind: 'true', trouble: drainBlocked } as const;
const worse = { kind: 'true', trouble: { ...drainBlocked, severity: 'critical' } } as const;

const aStep = fc.record({
  seconds: fc.constantFrom(61, 130, 700, 3700),
  what: fc.constantFrom('wrong', 'wrong', 'worse', 'gone', 'taken', 'nothing'),
  fates: fc.array(fc.constantFrom<Fate>('taken', 'refused', 'lost', 'taken, and no answer'), { maxLength: 4 }),
  /** The sender's effect after which it dies. */
  death: fc.option(fc.nat(3), { freq: 4 }),
});

/** One, or two during a rotation. */
const someKeys = fc.constantFrom(['new'], ['new', 'old']);

type Step = typeof aStep extends fc.Arbitrary<infer Each> ? Each : never;

async function play(pager: Pager, { seconds, what, fates, death }: Step): Promise<void> {
  const { lab } = pager;
  lab.clock.advance(seconds);
  pager.fates = [...fates];
  if (what === 'wrong') await lab.see(wrong);
  if (what === 'worse') await lab.see(worse);
  if (what === 'gone') await lab.see({ kind: 'false', endedBy: 'web-b became Ready on worker-6.' });
  if (what === 'taken') await pager.take(1800);
  if (death !== null) lab.dieAt(lab.effects.length + death, 'after');
  await lab.send(key);
}

async function end({ see, clock }: SendLab): Promise<void> {
  clock.advance(120);
  await see({ kind: 'false', endedBy: 'web-b became Ready on worker-6.' });
  clock.advance(360);
  await see({ kind: 'false' });
}

async function expectCalled({ lab, open, calls }: Pager): Promise<void> {
  const incident = await lab.incident(key);
  const told = incident.notes.findLast(({ kind }) => kind === 'attended' || kind === 'unattended')?.kind;
  // Its end is noted with the next look.
  const isTaken = told === 'attended' || isAttended(incident, lab.clock.now());
  expect(open.size).toBeLessThanOrEqual(incident.state === 'ok' ? 0 : 1);
  // One that recovers before PagerDuty heard of it is not told any more.
  if (incident.state === 'firing' && !isTaken) expect([...open.values()], calls.join('\n')).toEqual(['triggered']);
}

describe('alerts in PagerDuty, whatever happens to the calls', () => {
  test('[S1-13] [N-18] property: in the end no alert is open but that of the last ring, and it calls unless somebody has taken it', async () => {
    await fc.assert(
      fc.asyncProperty(someKeys, fc.array(aStep, { minLength: 3, maxLength: 20 }), async (keys, steps) => {
        const pager = await aPager(keys);
        const { lab } = pager;
        await lab.see(wrong);
        await lab.send(key);
        for (const step of steps) await play(pager, step);
        pager.fates = [];
        await lab.settleDown();

        await expectCalled(pager);
        await lab.close();
      }),
      { numRuns: runs(300) },
    );
  });

  test.each<[string, 'refused' | undefined]>([
    ['died before that was noted', undefined],
    ['was asked to wait before the former alert was resolved', 'refused'],
  ])('[S1-13] [N-18] [N-29] a return that rang is resolved, where the sender %s', async (_, fate) => {
    const pager = await aPager();
    const { lab } = pager;
    await lab.see(wrong);
    await lab.send(key);
    await end(lab);
    await lab.send(key);
    await lab.see(wrong);
    if (fate === undefined) lab.dieAt(lab.effects.length + 1, 'after');
    else pager.fates = ['taken', fate];
    await lab.send(key);
    expect([...pager.open.values()]).toEqual(['triggered']);
    await end(lab);
    await lab.settleDown();

    expect((await lab.incident(key)).state).toBe('ok');
    expect([...pager.open], pager.calls.join('\n')).toEqual([]);
  });

  test.each([
    ['is acknowledged there, too', true, ['trigger first: taken', 'acknowledge first: taken'], 'acknowledged'],
    ['rings, if it was taken before its end', false, ['trigger first: taken'], 'triggered'],
  ] as const)(
    '[S1-13] [N-18] a return that somebody took before PagerDuty could be told of it %s',
    async (_, isTakenAnew, calls, state) => {
      const pager = await aPager();
      const { lab } = pager;
      await lab.see(wrong);
      await lab.send(key);
      const before = pager.calls.length;
      if (!isTakenAnew) await pager.take(7200);
      await end(lab);
      await lab.see(wrong);
      lab.clock.advance(60);
      if (isTakenAnew) await pager.take(7200);
      await lab.settleDown();

      expect(pager.calls.slice(before)).toEqual(calls);
      expect([...pager.open.values()]).toEqual([state]);
    },
  );

  test('[S1-13] [N-18] [N-29] one that gets worse rings anew, where of two keys one took its acknowledgement', async () => {
    const pager = await aPager(['new', 'old']);
    const { lab } = pager;
    await lab.see(wrong);
    await lab.send(key);
    lab.clock.advance(120);
    await pager.take(7200);
    pager.fates = ['taken', 'refused'];
    await lab.send(key);
    lab.clock.advance(30);
    await lab.see(worse);
    await lab.send(key);
    await lab.settleDown();

    expect([...pager.open.values()], pager.calls.join('\n')).toEqual(['triggered']);
  });

  test('[S1-13] [N-24] [N-29] a wait of hours that is asked for after a part of it was taken is told, and what gets worse meanwhile does not wait for it', async () => {
    const pager = await aPager();
    const { lab } = pager;
    await lab.see(wrong);
    await lab.send(key);
    lab.clock.advance(120);
    await pager.take(300);
    await lab.send(key);
    // Over: the new alert is triggered, and the former one not resolved yet.
    lab.clock.advance(400);
    await lab.see(wrong);
    pager.fates = ['taken', 'refused for hours'];
    await lab.send(key);

    expect(isFailing((await lab.incident(key)).deliveries['on-call'] ?? aDelivery())).toBe(true);

    lab.clock.advance(60);
    await pager.take(7200);
    await lab.see(worse);
    const before = pager.calls.length;
    await lab.ticks(16);

    expect(pager.calls.length, pager.calls.join('\n')).toBeGreaterThan(before);
    expect([...pager.open.values()]).toEqual(['triggered']);
    expect(isFailing((await lab.incident(key)).deliveries['on-call'] ?? aDelivery())).toBe(false);
  });

  test('[S1-13] [N-18] one that is over after the calls about it half got through rings', async () => {
    const pager = await aPager();
    const { lab } = pager;
    await lab.see(wrong);
    await lab.send(key);
    await pager.take(600);
    await lab.send(key);
    // Over: the new alert is triggered, and the former one not resolved yet.
    lab.clock.advance(700);
    await lab.see(wrong);
    pager.fates = ['taken', 'lost'];
    await lab.send(key);
    // Taken again: only the end of the former alert does not get through.
    lab.clock.advance(61);
    await pager.take(600);
    pager.fates = ['taken', 'taken', 'refused'];
    await lab.send(key);
    lab.clock.advance(700);
    await lab.see(wrong);
    pager.fates = [];
    await lab.settleDown();

    expect([...pager.open.values()], pager.calls.join('\n')).toEqual(['triggered']);
  });
});
