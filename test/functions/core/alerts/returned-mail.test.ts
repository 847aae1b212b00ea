import { describe, expect, test } from 'vitest';
import type { Incident } from '../../../../functions/core/alerts/incident.ts';
import { notifyFailing } from '../../../../functions/core/alerts/notify-failing.ts';
import {
  afterArrival,
  afterReturn,
  returningAddresses,
  unreachableByMail,
} from '../../../../functions/core/alerts/returned-mail.ts';
import { AlertSettings } from '../../../../functions/core/configuration/alerts.ts';
import { aDelivery, anIncident, aTrouble } from '../../../fakes/index.ts';
import { aStory, minute } from './incident-lab.ts';

const alerts = AlertSettings.parse({
  targets: [
    { kind: 'email', name: 'mailbox', from: 'a@example.com', to: ['b@example.com', 'c@example.com'] },
    { kind: 'email', name: 'local', from: 'a@example.com', to: ['b@example.com'], via: 'smtp' },
  ],
});
const now = new Date('2026-11-22T12:00:00.000Z');

function returnedAt(address: string, at: string, kind: 'bounce' | 'complaint' = 'bounce') {
  return { address, kind, why: 'smtp; 550 user unknown', at };
}

function incidentWith(...returned: readonly ReturnType<typeof returnedAt>[]) {
  const delivery = returned.reduce(afterReturn, aDelivery({}));
  return anIncident({ deliveries: { mailbox: delivery, local: delivery } });
}

test('[N-30] of what a target was not told the worst is named first, and the rest is counted', () => {
  const deliveries = { mailbox: aDelivery({ dead: true }) };
  const own = Array.from({ length: 9 }, (_, at) => anIncident({ number: at + 1, deliveries }));
  const key = { cluster: 'prod', pool: 'infra', kind: 'node-degraded' } as const;
  const worst = anIncident({ key, number: 99, deliveries, trouble: aTrouble({ key, severity: 'critical' }) });

  const trouble = notifyFailing({ cluster: 'prod', incidents: [...own, worst], alerts, now });

  expect(trouble?.facts.map(({ label }) => label)).toEqual([
    'Not delivered PK-99',
    'Not delivered PK-1',
    'Not delivered PK-2',
    'Not delivered besides',
  ]);
  expect(trouble?.facts.at(-1)?.value).toBe('7 incidents');
});

describe('mail that comes back', () => {
  test('[C-6] [N-18] is told by its address and its target (M3), with what to do about it', () => {
    const incidents = [incidentWith(returnedAt('B@example.com', '2026-11-22T10:00:00.000Z'))];

    const trouble = notifyFailing({ cluster: 'prod', incidents, alerts, now });

    expect(trouble).toMatchObject({
      headline: 'alert mail comes back from B@example.com: smtp; 550 user unknown',
      digest: 'mailbox/b@example.com:M3:AlertTarget mailbox/b@example.com;high',
      findings: [{ code: 'M3', subject: { name: 'mailbox/b@example.com' } }],
    });
    expect(trouble?.findings[0]?.remedies.map(({ command }) => command)).toEqual([
      undefined,
      'aws sesv2 delete-suppressed-destination --email-address B@example.com',
    ]);
  });

  test('[N-18] comes back again without being told again: only its time changes', () => {
    const first = returnedAt('b@example.com', '2026-11-22T10:00:00.000Z');
    const again = returnedAt('B@example.com', '2026-11-22T11:00:00.000Z');
    const digests = [[first], [first, again]].map(
      (mails) => notifyFailing({ cluster: 'prod', incidents: [incidentWith(...mails)], alerts, now })?.digest,
    );

    expect(new Set(digests).size).toBe(1);
  });

  test('[N-18] a target counts as out of reach when no address of it gets mail', () => {
    const at = '2026-11-22T10:00:00.000Z';
    const reach = (...addresses: readonly string[]) =>
      unreachableByMail(
        returningAddresses([incidentWith(...addresses.map((address) => returnedAt(address, at)))], alerts),
        alerts,
      );

    expect(reach('b@example.com')).toEqual([]);
    expect(reach('b@example.com', 'C@example.com')).toEqual(['mailbox']);
  });

  test('[N-18] is over with a later arrival at that address, and with none before', () => {
    const delivery = afterReturn(aDelivery({}), returnedAt('b@example.com', '2026-11-22T10:00:00.000Z'));

    const arrivedAt = (address: string, at: string) => afterArrival(delivery, { address, at });
    expect(arrivedAt('b@example.com', '2026-11-22T09:00:00.000Z')).toBe(delivery);
    expect(arrivedAt('c@example.com', '2026-11-22T11:00:00.000Z')).toBe(delivery);
    expect(arrivedAt('B@example.com', '2026-11-22T11:00:00.000Z').returned).toEqual([]);
  });

  test('[N-12] an address that a shell might read otherwise gets no command', () => {
    const incidents = [incidentWith(returnedAt("b$(id)'@example.com", '2026-11-22T10:00:00.000Z'))];
    const [target] = alerts.targets;
    const own = { targets: [{ ...target, to: ["b$(id)'@example.com"] }] };

    const trouble = notifyFailing({ cluster: 'prod', incidents, alerts: AlertSettings.parse(own), now });

    expect(trouble?.findings[0]?.remedies.map(({ command }) => command)).toEqual([undefined, undefined]);
  });
});

describe('a second one that gets nothing, after days of the first', () => {
  const at = '2026-11-22T10:00:00.000Z';
  const refusing = { dead: true, attempts: 1, lastError: 'is_archived' };
  const failing = { attempts: 9, lastError: 'timeout' };

  /** What everybody was told once the second was seen as well, and whom people have heard of. */
  function toldOf(first: Incident, then: (minutes: number) => Incident) {
    const story = aStory({ targets: ['pager'] });
    const settings = AlertSettings.parse({
      targets: [...alerts.targets, { kind: 'outbox', name: 'dev' }],
    });
    for (let minutes = 0; minutes < 3000; minutes += 10) {
      const incidents = [minutes < 2000 ? first : then(minutes)];
      const trouble = notifyFailing({ cluster: 'prod', incidents, alerts: settings, now: minute(minutes) });
      if (trouble !== undefined) story.wrong(minutes, trouble);
    }
    const told = story.now.notes.filter(({ kind }) => kind === 'escalated');
    return told.map((note) => `${(Date.parse(note.at) - minute(0).getTime()) / 60_000} ${note.text.split('. ')[0]}`);
  }

  test.each<[string, Incident, (minutes: number) => Incident, string]>([
    [
      'an address',
      incidentWith(returnedAt('b@example.com', at)),
      () => incidentWith(returnedAt('b@example.com', at), returnedAt('C@example.com', at)),
      '2000 Joined: AlertTarget mailbox/c@example.com',
    ],
    [
      'a target that refuses, by now and then',
      anIncident({ deliveries: { dev: aDelivery(refusing) } }),
      (minutes) =>
        anIncident({
          deliveries: { dev: aDelivery(refusing), ...(minutes % 40 < 20 && { mailbox: aDelivery(failing) }) },
        }),
      '2000 Joined: AlertTarget mailbox',
    ],
    [
      'a target whose failures are taken for a refusal now and then: nobody',
      anIncident({ deliveries: { dev: aDelivery(refusing) } }),
      (minutes) => anIncident({ deliveries: { dev: aDelivery(minutes % 20 === 0 ? refusing : failing) } }),
      '',
    ],
  ])('[C-6] [N-18] is told everybody, once: %s', (_, first, then, told) => {
    expect(toldOf(first, then)).toEqual(told === '' ? [] : [told]);
  });

  test('[C-6] [N-18] an address of a target that could not be reached before is told everybody, too', () => {
    const dev = aDelivery(refusing);
    const isBack = (minutes: number) => minutes >= 2030;
    const told = toldOf(anIncident({ deliveries: { dev } }), (minutes) => {
      const mailbox = aDelivery(isBack(minutes) ? {} : failing);
      const returned = isBack(minutes) ? afterReturn(mailbox, returnedAt('b@example.com', at)) : mailbox;
      return anIncident({ deliveries: { dev, mailbox: returned } });
    });

    expect(told).toEqual(['2000 Joined: AlertTarget mailbox', '2030 Joined: AlertTarget mailbox/b@example.com']);
  });
});
