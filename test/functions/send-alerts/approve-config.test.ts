import { afterEach, describe, expect, test } from 'vitest';
import { type ApprovalAsked, cloudEvent, type WorkEvent } from '../../../events/index.ts';
import { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import type { AttendPorts } from '../../../functions/send-alerts/attend-incident.ts';
import { workOff } from '../../../functions/send-alerts/work-off.ts';
import { openSendLab, type SendLab } from './send-alerts-lab.ts';

const config = 'rendered-worker-bbb';
const anna = 'AIDAANNA12345678';
const bob = 'AROAPLATFORM1234:bob@example.org';
const cluster = ClusterSettings.parse({
  name: 'prod',
  api: { server: 'https://api.example.com', tokenSecret: 'prod' },
  policy: {},
  pools: { worker: { approve: { by: [`aws:${anna} slack:U0123456789`, `aws:${bob}`], needed: 2 } } },
});

let opened: SendLab | undefined;
afterEach(() => opened?.close());

async function lab() {
  opened = await openSendLab();
  const { tables, clock } = opened;
  const ticks: WorkEvent[] = [];
  const ports: AttendPorts = {
    ...opened.ports,
    configuration: { ...opened.ports.configuration, clusters: [cluster] },
    approvals: tables.approvals,
    askedRequests: tables.askedRequests,
    views: tables.views,
    timeline: tables.timeline,
    work: { send: async (event: WorkEvent) => void ticks.push(event) },
  };
  const ask = (sender: string | undefined, change: Partial<ApprovalAsked['data']> = {}, sentAt?: string) =>
    workOff(asked(change, clock.now()), ports, { sender, sentAt: sentAt ?? clock.now().toISOString() });
  const stored = async () => (await tables.approvals.list('prod', 'worker')).map(({ who, verb }) => `${verb} ${who}`);
  const told = () => tables.timeline.all().map(({ text }) => text);
  return { ask, stored, told, ticks, clock, ports };
}

function asked(change: Partial<ApprovalAsked['data']>, now: Date): ApprovalAsked {
  const askedAt = now.toISOString();
  return cloudEvent({
    type: 'poolkeeper.approval.asked.v1',
    id: `person/approve/${askedAt}`,
    source: '/poolkeeper/person',
    subject: 'prod/worker',
    time: now,
    correlation: config,
    data: {
      verb: 'approve',
      cluster: 'prod',
      pool: 'worker',
      config,
      by: 'anna',
      reason: 'CHG-4711',
      askedAt,
      ...change,
    },
  });
}

describe('[N-17] an approval that comes by the queue', () => {
  test('counts for the sender that SQS notes, and the cluster is looked at', async () => {
    const { ask, stored, told, ticks } = await lab();

    await ask(anna);
    await ask(bob);

    expect((await stored()).toSorted()).toEqual([`approve aws:${anna}`, `approve aws:${bob}`]);
    expect(told()).toContain(`${config} approved by aws:${anna} (anna): CHG-4711`);
    expect(ticks.map(({ data }) => data)).toEqual([
      { cluster: 'prod', why: 'person' },
      { cluster: 'prod', why: 'person' },
    ]);
  });

  test.each([
    ['somebody who is not on the list', 'AIDAMALLORY12345'],
    ['another session of the same role', 'AROAPLATFORM1234:anna@example.org'],
    ['nobody', undefined],
    ['a name that claims to come from Slack', 'slack:U0123456789'],
  ])('in the name of %s is not stored, whatever the message says', async (_, sender) => {
    const { ask, stored, ticks } = await lab();

    await ask(sender, { by: `aws:${anna}` });

    expect([await stored(), ticks]).toEqual([[], []]);
  });

  test('is revoked under every name, and a redelivery of the approval does not bring it back', async () => {
    const { ask, stored, clock } = await lab();
    const first = clock.now().toISOString();
    await ask(anna);
    clock.advance(1);

    await ask(anna, { verb: 'revoke' });
    await ask(anna, {}, first);

    expect((await stored()).toSorted()).toEqual([`revoke aws:${anna}`, 'revoke slack:U0123456789']);
  });

  test('that has lain for long is dropped: whoever moved it would be its sender', async () => {
    const { ask, stored, clock } = await lab();
    const askedAt = clock.now().toISOString();
    clock.advance(16 * 60);

    await ask(anna, { askedAt });

    expect(await stored()).toEqual([]);
  });

  test('for a pool that nobody has to approve leaves no trace', async () => {
    const { ask, stored, told } = await lab();

    await ask(anna, { pool: 'infra' });
    await ask(anna, { cluster: 'test' });

    expect([await stored(), told()]).toEqual([[], []]);
  });
});
