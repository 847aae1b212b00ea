import { describe, expect, test } from 'vitest';
import { notifyFailing } from '../../../../functions/core/alerts/notify-failing.ts';
import {
  afterArrival,
  afterReturn,
  returningAddresses,
  unreachableByMail,
} from '../../../../functions/core/alerts/returned-mail.ts';
import { AlertSettings } from '../../../../functions/core/configuration/alerts.ts';
import { aDelivery, anIncident, aTrouble } from '../../../fakes/index.ts';

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
      digest: 'mailbox|bounce|b@example.com',
      findings: [{ code: 'M3', subject: { name: 'mailbox' } }],
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
