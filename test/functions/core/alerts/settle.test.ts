import { describe, expect, test } from 'vitest';
import type { Incident } from '../../../../functions/core/alerts/incident.ts';
import { isSameKey } from '../../../../functions/core/alerts/inhibit.ts';
import { incidentEvent, publishedIncident } from '../../../../functions/core/alerts/published.ts';
import { type Settled, type SettleInput, settle } from '../../../../functions/core/alerts/settle.ts';
import type { AlertSettings } from '../../../../functions/core/configuration/alerts.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import type { Trouble, TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { aDelivery, anIncident, aTrouble } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { lasting, minute } from './incident-lab.ts';

const filter = { clusters: [], pools: [], severities: [], causes: [] };
const alerts: AlertSettings = {
  statusUrl: undefined,
  targets: [
    { kind: 'outbox', name: 'ops', filter },
    { kind: 'outbox', name: 'mail', filter: { ...filter, severities: ['critical'] } },
  ],
};

function input(change: Partial<SettleInput> = {}): SettleInput {
  return {
    cluster: 'prod',
    troubles: [],
    incidents: [],
    unseen: () => undefined,
    policy: defaultPolicy.alerting,
    alerts,
    now: minute(0),
    numbers: [],
    ...change,
  };
}

function ofKind(kind: TroubleKind, change: Partial<Trouble> = {}): Trouble {
  return lasting({ key: { cluster: 'prod', pool: 'worker', kind }, ...change });
}

/** What the table holds after the changes were saved. */
function saved(incidents: readonly Incident[], { changes }: Settled): readonly Incident[] {
  const changed = changes.map(({ incident }) => ({ ...incident, version: incident.version + 1 }));
  return [...incidents.filter((each) => !changed.some(({ key }) => isSameKey(key, each.key))), ...changed];
}

/** With as many numbers as it asks for. */
function settleFully(given: SettleInput): Settled {
  const first = settle(given);
  if (first.numbersMissing === 0) return first;
  return settle({ ...given, numbers: Array.from({ length: first.numbersMissing }, (_, index) => index + 1) });
}

describe('escalation', () => {
  test('[S1-13] [N-18] counts from the return of what had ended, not from its first opening', () => {
    const lead = { kind: 'outbox', name: 'lead', filter, escalateAfterSeconds: 1800 } as const;
    const climbing = { ...alerts, targets: [...alerts.targets, lead] };
    let incidents: readonly Incident[] = [];
    for (let at = 0; at < 100; at += 1) {
      const troubles = at < 10 || at >= 45 ? [ofKind('drain-blocked')] : [];
      incidents = saved(incidents, settleFully(input({ troubles, incidents, alerts: climbing, now: minute(at) })));
    }

    expect(incidents[0]?.notes.map(({ kind }) => kind)).toEqual(['opened', 'resolved', 'reopened', 'escalated']);
    expect(incidents[0]?.notes.at(-1)).toMatchObject({
      at: minute(75).toISOString(),
      text: 'Not acknowledged for 30 min: escalated to lead.',
    });
  });
});

describe('settle', () => {
  test('[S1-2] opens an incident for each trouble, once it has numbers', () => {
    const troubles = [ofKind('drain-blocked'), ofKind('render-failed')];

    const first = settle(input({ troubles }));
    expect(first).toMatchObject({ changes: [], numbersMissing: 2 });

    const { changes, due, numbersMissing } = settle(input({ troubles, numbers: [7, 8] }));
    expect(numbersMissing).toBe(0);
    expect(changes.map(({ incident, told }) => [incident.key.kind, incident.number, told?.type])).toEqual([
      ['drain-blocked', 7, 'poolkeeper.incident.opened.v1'],
      ['render-failed', 8, 'poolkeeper.incident.opened.v1'],
    ]);
    expect(due.map(({ kind }) => kind)).toEqual(['drain-blocked', 'render-failed']);
  });

  test('spends a number only on what opens', () => {
    const waiting = ofKind('no-progress', { class: 'unknown' });

    const { changes } = settle(input({ troubles: [waiting, ofKind('drain-blocked')], numbers: [7] }));

    expect(changes.map(({ incident }) => [incident.key.kind, incident.state, incident.number])).toEqual([
      ['no-progress', 'pending', 0],
      ['drain-blocked', 'firing', 7],
    ]);
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(aPass, aPass, (earlier, later) => {
        const before = saved([], settleFully(input(earlier)));
        const pass = input({ ...later, incidents: before });
        const after = saved(before, settleFully(pass));

        expect(settleFully({ ...pass, incidents: after }).changes).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('[S1-13] resolves what is seen to be over, with what ended it', () => {
    const stored = anIncident({ state: 'resolving', goneSince: minute(0).toISOString(), goodReadsGone: 1 });

    const { changes } = settle(input({ incidents: [stored], now: minute(6), endedBy: () => 'worker-6 was labelled.' }));

    expect(changes[0]?.incident).toMatchObject({ state: 'ok', outcome: 'fixed', endedBy: 'worker-6 was labelled.' });
    expect(changes[0]?.told?.type).toBe('poolkeeper.incident.resolved.v1');
  });

  test('[I4] resolves nothing that could not be seen', () => {
    const stored = anIncident({ state: 'resolving', goneSince: minute(0).toISOString(), goodReadsGone: 1 });

    const { changes } = settle(input({ incidents: [stored], now: minute(60), unseen: () => '3 reads failed' }));

    expect(changes.map(({ incident, told }) => [incident.state, incident.staleWhy, told])).toEqual([
      ['resolving', '3 reads failed', undefined],
    ]);
  });

  test('a cluster is not in sight again because nobody says that it is blind', () => {
    const stored = anIncident({ key: { cluster: 'prod', pool: '*', kind: 'watcher-blind' } });

    const unseen = ({ kind }: { kind: TroubleKind }) => (kind === 'watcher-blind' ? undefined : 'the read failed');
    const { changes } = settle(input({ incidents: [stored], unseen }));

    expect(changes.map(({ incident }) => incident.state)).toEqual(['firing']);
  });

  test('[C-6] whoever heard of it hears its end, whatever the filter', () => {
    const told = aDelivery({ announced: true, deliveredSeq: 1, threadSeq: 1 });
    const stored = anIncident({
      state: 'resolving',
      goneSince: minute(0).toISOString(),
      goodReadsGone: 1,
      trouble: aTrouble({ severity: 'warning' }),
      deliveries: { mail: told },
    });

    const { changes } = settle(input({ incidents: [stored], now: minute(6) }));

    expect(changes[0]?.incident.deliveries['mail']?.wantedSeq).toBe(2);
  });

  test('what is explained by something that is being told is not told beside it', () => {
    const { changes } = settleFully(input({ troubles: [ofKind('watcher-blind'), ofKind('sweep-overdue')] }));

    expect(changes.map(({ incident }) => [incident.key.kind, incident.state])).toEqual([
      ['watcher-blind', 'firing'],
      ['sweep-overdue', 'pending'],
    ]);
  });

  test('an incident that became part of another one ends as superseded', () => {
    const node = {
      code: 'N14',
      subject: { kind: 'Node', namespace: '', name: 'worker-2' },
      sentence: 'worker-2 is degraded.',
      confidence: 'strong' as const,
      class: 'unknown' as const,
      evidence: [],
      because: [],
      remedies: [],
    };
    const stored = anIncident({
      key: { cluster: 'prod', pool: 'worker', kind: 'node-degraded' },
      state: 'resolving',
      goneSince: minute(0).toISOString(),
      goodReadsGone: 1,
    });
    const troubles = [ofKind('drain-blocked'), ofKind('node-degraded', { findings: [node] })];

    const { changes } = settleFully(input({ troubles, incidents: [stored], now: minute(6) }));

    expect(changes.find(({ incident }) => incident.key.kind === 'node-degraded')?.incident).toMatchObject({
      state: 'ok',
      outcome: 'superseded',
    });
  });

  test('[N-18] asks again for what is still owed, and not while it is too early', () => {
    const owing = anIncident({
      lastEditAt: minute(0).toISOString(),
      trouble: lasting(),
      deliveries: { ops: aDelivery() },
    });
    const early = { ...owing, deliveries: { ops: aDelivery({ retryAt: minute(2).toISOString() }) } };

    const due = (incident: Incident, minutes: number) =>
      settle(input({ troubles: [lasting()], incidents: [incident], now: minute(minutes) })).due.length;

    expect([due(owing, 1), due(early, 1), due(early, 2)]).toEqual([1, 0, 1]);
  });
});

describe('failing messengers', () => {
  const refused = aDelivery({ dead: true, lastError: 'is_archived', retryAt: minute(60).toISOString() });
  const undelivered = anIncident({
    trouble: lasting(),
    deliveries: { ops: refused },
    lastEditAt: minute(0).toISOString(),
  });

  test('[N-18] [I1] are told through another target, whatever its filter, with what could not be delivered', () => {
    const { changes } = settleFully(input({ troubles: [lasting()], incidents: [undelivered] }));

    const [change] = changes;
    expect(change?.incident).toMatchObject({
      key: { cluster: 'prod', pool: '*', kind: 'notify-failing' },
      state: 'firing',
      trouble: {
        headline: 'alerts do not reach ops: is_archived',
        facts: [{ label: 'Not delivered PK-7' }],
        findings: [{ code: 'M1' }],
      },
    });
    expect(Object.keys(change?.incident.deliveries ?? {})).toEqual(['mail']);
  });

  test('[N-18] that failed for now only say so (M2)', () => {
    const { deliveries } = undelivered;
    const late = {
      ...undelivered,
      deliveries: { ops: aDelivery({ ...deliveries['ops'], dead: false, attempts: 9, lastError: 'timeout' }) },
    };

    const { changes } = settleFully(input({ troubles: [lasting()], incidents: [late] }));

    expect(changes[0]?.incident).toMatchObject({ trouble: { findings: [{ code: 'M2' }] } });
  });

  test('[N-18] are over when the owed messages have arrived', () => {
    const opened = saved([undelivered], settleFully(input({ troubles: [lasting()], incidents: [undelivered] })));
    const healed = opened.map((incident) =>
      incident.key.kind === 'notify-failing'
        ? incident
        : { ...incident, deliveries: { ops: aDelivery({ announced: true, deliveredSeq: 1, threadSeq: 1 }) } },
    );

    const going = saved(
      healed,
      settle(input({ troubles: [lasting()], incidents: healed, now: minute(1), unseen: () => 'blind' })),
    );
    const { changes } = settle(
      input({ troubles: [lasting()], incidents: going, now: minute(7), unseen: () => 'blind' }),
    );

    expect(changes.find(({ incident }) => incident.key.kind === 'notify-failing')?.incident.state).toBe('ok');
  });

  test('do not make endless news of themselves', () => {
    const opened = saved([undelivered], settleFully(input({ troubles: [lasting()], incidents: [undelivered] })));
    const alsoDead = opened.map((incident) => ({
      ...incident,
      deliveries: { ops: refused, mail: { ...refused, lastError: 'SES: MessageRejected' } },
    }));

    const again = saved(alsoDead, settleFully(input({ troubles: [lasting()], incidents: alsoDead, now: minute(1) })));

    expect(again.filter(({ key }) => key.kind === 'notify-failing')).toHaveLength(1);
    expect(settle(input({ troubles: [lasting()], incidents: again, now: minute(1) })).changes).toEqual([]);
  });
});

describe('what is told to subscribers', () => {
  test('is a valid event with the same id for the same change', () => {
    const incident = anIncident();
    const told = publishedIncident(incident, 'opened');
    if (told === undefined) throw new Error('nothing is told');

    const event = incidentEvent(told, { source: '/poolkeeper/keep-pools', now: minute(1) });

    expect(event).toMatchObject({
      id: 'v1|prod|worker|drain-blocked#7/1',
      type: 'poolkeeper.incident.opened.v1',
      correlation: 'PK-7',
      data: { number: 7, severity: 'high', headline: 'drain of worker-2 blocked by PDB shop/web' },
    });
    expect(publishedIncident({ ...incident, seq: 5 }, 'opened')?.id).toBe(event.id);
  });

  test('[N-29] an update has the whole note, with all whom it names', () => {
    const text = `Joined: ${'team-a, '.repeat(35)}and bank. Now: ${'drains are blocked, '.repeat(12)}as before`;
    const notes = [{ seq: 2, at: minute(1).toISOString(), kind: 'escalated' as const, text }];

    expect(publishedIncident({ ...anIncident(), notes }, 'updated')?.data.news).toBe(text);
  });

  test('a refreshed duration is not told', () => {
    expect(publishedIncident(anIncident(), 'refreshed')).toBeUndefined();
    expect(publishedIncident(anIncident(), 'noted')).toBeUndefined();
  });
});

const aPass: fc.Arbitrary<Partial<SettleInput>> = fc
  .record({
    kinds: fc.uniqueArray(
      fc.constantFrom<TroubleKind>('drain-blocked', 'node-degraded', 'no-progress', 'render-failed', 'watcher-blind'),
    ),
    digest: fc.constantFrom('a', 'b'),
    severity: fc.constantFrom('critical' as const, 'warning' as const),
    structural: fc.boolean(),
    minutes: fc.integer({ min: 0, max: 300 }),
    blind: fc.boolean(),
  })
  .map(({ kinds, digest, severity, structural, minutes, blind }) => ({
    troubles: kinds.map((kind) => ofKind(kind, { digest, severity, class: structural ? 'structural' : 'unknown' })),
    now: minute(minutes),
    unseen: () => (blind ? 'the read failed' : undefined),
  }));
