import { describe, expect, test } from 'vitest';
import { askGates } from '../../../../functions/core/gates/ask-gates.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { type Gate, type GateQuestion, type GateTimeout, open } from '../../../../functions/core/gates/gate.ts';
import { gates } from '../../../../functions/core/gates/index.ts';
import {
  afterBlindLook,
  configsGatedSince,
  type GatedPool,
  gatesClosedSince,
  gatesReadSince,
  withGateClocks,
  withoutStaleReads,
} from '../../../../functions/core/holds/gate-clocks.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aClosedGate, aGateView, anImageBuild, anImageConfig } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { aGateQuestion } from './a-gate-question.ts';

const now = new Date('2026-03-02T10:10:00Z');
const tenMinutesAgo = '2026-03-02T10:00:00Z';

function question(closedSince: GateQuestion['closedSince'] = {}): GateQuestion {
  return aGateQuestion({ closedSince, now });
}

const shut = (name: string, timeout?: GateTimeout): Gate => aClosedGate(name, {}, timeout);

describe('a closed gate', () => {
  test('[N-16] says since when it is closed, by its own clock, which begins when it closes', () => {
    const { closed: views } = askGates([shut('window'), shut('ticket')], question({ window: tenMinutesAgo }));

    expect(views.map(({ gate, since }) => [gate, since])).toEqual([
      ['window', tenMinutesAgo],
      ['ticket', now.toISOString()],
    ]);
  });

  test('[N-16] one that waits for its read has no clock yet, and is not skipped: it may be open', () => {
    const gate = aClosedGate('quiet', { lacks: 'controllers' }, { afterSeconds: 60, action: 'resume' });

    const { closed: views, warnings } = askGates([gate], question({ quiet: tenMinutesAgo }));

    expect(views).toMatchObject([{ gate: 'quiet', since: undefined, unread: true }]);
    expect(views[0]?.timeout).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  test('says when it opens by itself', () => {
    const gate = aClosedGate('window', { opensAt: '2026-03-03T22:00:00Z' });

    expect(askGates([gate], question()).closed[0]?.opensAt).toBe('2026-03-03T22:00:00Z');
  });

  test.each([
    ['wait', [{ gate: 'window', overdue: undefined }], 0],
    ['alert', [{ gate: 'window', overdue: true }], 0],
    ['resume', [], 1],
  ] as const)('past its timeout: %s', (action, views, warnings) => {
    const gate = shut('window', { afterSeconds: 300, action });

    const early = askGates([gate], question({ window: '2026-03-02T10:09:00Z' }));
    const late = askGates([gate], question({ window: tenMinutesAgo }));

    expect(early.closed).toMatchObject([{ gate: 'window' }]);
    expect(early.closed[0]?.overdue).toBeUndefined();
    expect(late.closed.map(({ gate: name, overdue }) => ({ gate: name, overdue }))).toEqual(views);
    expect(late.warnings).toHaveLength(warnings);
  });
});

test('[N-16] [N-30] for an image that is built late the clock of a gate that may be skipped starts anew', () => {
  const resumes = shut('approval', { afterSeconds: 300, action: 'resume' });
  const alerts = shut('ticket', { afterSeconds: 300, action: 'alert' });
  const ask = (endedAt: string | undefined) => {
    const { target } = aGateQuestion().pool;
    const images = {
      kind: 'listed' as const,
      configs: [anImageConfig()],
      builds: [anImageBuild({ config: target.name, endedAt })],
      unreadable: [],
      isServed: true,
    };
    const asked = question({ approval: tenMinutesAgo, ticket: tenMinutesAgo });
    return askGates([resumes, alerts], { ...asked, evidence: { ...noEvidence, images: seen(images) } }).closed;
  };

  expect(ask('2026-03-02T10:08:00Z')).toMatchObject([
    { gate: 'approval', since: tenMinutesAgo, timeout: { at: '2026-03-02T10:13:00.000Z' } },
    { gate: 'ticket', overdue: true },
  ]);
  for (const endedAt of ['2026-02-27T10:12:00Z', 'never', undefined]) expect(ask(endedAt)).toHaveLength(1);
});

describe('what gates lack', () => {
  const lacking = (name: string, isOpen: boolean, lacks: 'drains' | 'controllers'): Gate => ({
    ...aClosedGate(name, { lacks }),
    ...(isOpen ? { ask: () => ({ ...open, lacks }) } : {}),
  });
  const all = [
    shut('window'),
    { ...shut('free'), ask: () => open },
    lacking('quiet', false, 'controllers'),
    lacking('drainable', false, 'drains'),
    lacking('drainable', true, 'drains'),
  ];

  test('is read the cheapest first, and nothing while a gate is closed for what is known', () => {
    expect(askGates([lacking('a', false, 'controllers'), lacking('b', false, 'drains')], question()).lacking).toBe(
      'drains',
    );
    expect(askGates([lacking('a', false, 'controllers'), lacking('b', true, 'drains')], question()).lacking).toBe(
      'controllers',
    );
    expect(askGates([lacking('b', true, 'drains')], question()).lacking).toBe('drains');
    expect(askGates([shut('window'), lacking('b', false, 'drains')], question()).lacking).toBeUndefined();
  });

  test('[property] no answer depends on the order of asking', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(all), (gates) => {
        const asked = askGates(gates, question());
        const again = askGates(gates.toReversed(), question());

        expect(again.lacking).toBe(asked.lacking);
        expect(again.closed.toReversed()).toEqual(asked.closed);
      }),
    );
  });
});

type FirstSeen = Parameters<typeof withGateClocks>[0];

describe('the clocks of gates between passes', () => {
  const view = (gate: string, since: string) => aGateView({ gate, since });

  test('go on while a gate is closed, and stop when it opens', () => {
    const gated = { config: 'rendered-bbb', since: tenMinutesAgo };
    const before = { 'worker|stalled|x': tenMinutesAgo, 'worker|gate|quiet': tenMinutesAgo };
    const pools = [
      { pool: 'worker', gated, gates: [view('window', tenMinutesAgo)], runningOn: [] },
      { pool: 'infra', gated, gates: [], runningOn: [] },
    ];
    const kept = withGateClocks(before, pools, { before, now });

    expect(kept).toEqual({
      'worker|stalled|x': tenMinutesAgo,
      'worker|gate|window': tenMinutesAgo,
      'worker|read|window': now.toISOString(),
      'worker|seen|window': now.toISOString(),
      'worker|gated|rendered-bbb': tenMinutesAgo,
    });
    expect(gatesClosedSince(kept)).toEqual({ worker: { window: tenMinutesAgo } });
    expect(configsGatedSince(kept)).toEqual({ worker: gated });
  });

  describe('[N-16] [N-30] of what was read', () => {
    const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
    const gated = { config: 'rendered-bbb', since: tenMinutesAgo };
    const closedNow = { pool: 'worker', gated, gates: [view('ticket', tenMinutesAgo)], runningOn: [] };
    const first = withGateClocks({}, [closedNow], { before: {}, now });
    const unseen = { ...closedNow, gates: [{ ...view('ticket', tenMinutesAgo), isUnseen: true as const }] };
    const behindHold = { ...closedNow, gates: [], runningOn: [{ gate: 'ticket', isKnown: false }] };
    /** A look a minute, in which it is so. */
    const looks = (pool: GatedPool, count: number) =>
      Array.from({ length: count }).reduce<FirstSeen>((before, _, nth) => {
        const found = withoutStaleReads(before, at(nth + 1));
        return withGateClocks({}, [pool], { before: found, now: at(nth + 1) });
      }, first);

    test.each([
      ['it is read as closed', closedNow, 60, now.toISOString()],
      ['it is not read for three minutes', unseen, 3, now.toISOString()],
      ['it is not read for longer', unseen, 5, undefined],
      ['nobody reads it behind a hold', behindHold, 5, undefined],
    ])('while %s', (_, pool, minutes, since) => {
      const found = withoutStaleReads(looks(pool, minutes), at(minutes));

      expect(gatesReadSince(found)['worker']?.['ticket']).toBe(since);
      expect(gatesClosedSince(found)['worker']?.['ticket']).toBe(tenMinutesAgo);
    });

    test('none is left when nobody has looked for hours, whatever kept them from it', () => {
      expect(gatesReadSince(withoutStaleReads(first, at(180)))).toEqual({});
      expect(gatesReadSince(withoutStaleReads(first, at(2)))).toEqual({ worker: { ticket: now.toISOString() } });
    });

    test('looks that find nothing out end it, but for the approval, which is missing whatever a cluster says', () => {
      const both = { ...closedNow, gates: [...closedNow.gates, view('approval', tenMinutesAgo)] };
      const before = withGateClocks({}, [both], { before: {}, now });
      const blind = Array.from({ length: 30 }).reduce<FirstSeen>(
        (seen, _, nth) => afterBlindLook(seen, at(nth + 1)),
        before,
      );

      expect(gatesReadSince(withoutStaleReads(blind, at(31)))).toEqual({ worker: { approval: now.toISOString() } });
    });
  });
});

describe('in an emergency', () => {
  const emergency = { who: 'ann', why: 'CVE' };
  const passed: Gate = { ...shut('window'), inEmergency: 'passed' };

  test('[N-21] a gate that is passed does not count, and says so; others count as ever', () => {
    const answer = askGates([passed, shut('quiet')], { ...question(), emergency });
    const calm = askGates([passed, shut('quiet')], question());

    expect(answer.closed.map(({ gate }) => gate)).toEqual(['quiet']);
    expect(answer.warnings).toEqual(['gate window is passed in the emergency of ann: no allow window is open']);
    expect(calm.closed.map(({ gate }) => gate)).toEqual(['window', 'quiet']);
  });

  test('[N-21] nothing is read for a gate that is passed', () => {
    const unread: Gate = { ...aClosedGate('window', { lacks: 'drains' }), inEmergency: 'passed' };

    expect(askGates([unread], { ...question(), emergency })).toEqual({
      closed: [],
      skipped: [],
      because: [],
      warnings: [],
      lacking: undefined,
    });
  });

  test('[N-21] what keeps a rollout from doing harm is never passed', () => {
    const asked = gates.flatMap(({ name, inEmergency }) => (inEmergency === 'asked' ? [name] : []));

    expect(asked).toEqual(expect.arrayContaining(['keep-paused', 'rendered', 'quiet', 'wave', 'health', 'drainable']));
  });
});
