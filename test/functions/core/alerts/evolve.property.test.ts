import { describe, expect, test } from 'vitest';
import { attend, isAttended } from '../../../../functions/core/alerts/attention.ts';
import { type EvolveContext, evolve, type ObservedTrouble } from '../../../../functions/core/alerts/evolve.ts';
import type { Incident } from '../../../../functions/core/alerts/incident.ts';
import { publishedIncident } from '../../../../functions/core/alerts/published.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import type { Severity, TroubleClass } from '../../../../functions/core/findings/trouble.ts';
import { severityRank } from '../../../../functions/core/findings/trouble-words.ts';
import { aTrouble } from '../../../fakes/index.ts';
import { alwaysHolds, fc, runs } from '../../../property.ts';
import { start } from './incident-lab.ts';

const aSight: fc.Arbitrary<ObservedTrouble> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        severity: fc.constantFrom<Severity>('critical', 'high', 'warning', 'info'),
        class: fc.constantFrom<TroubleClass>('structural', 'self-healing', 'external', 'unknown'),
        digest: fc.constantFrom('a', 'b', 'c'),
        inhibitedBy: fc.option(fc.constant('something else'), { nil: undefined, freq: 6 }),
      })
      .map(({ inhibitedBy, ...change }) => ({
        kind: 'true' as const,
        trouble: aTrouble({ ...change, headline: `headline ${change.digest}`, since: start.toISOString() }),
        inhibitedBy,
      })),
  },
  { weight: 5, arbitrary: fc.constant({ kind: 'false' as const, endedBy: 'it went away' }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'unseen' as const, why: 'API unreachable' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'removed' as const, why: 'pool deleted' }) },
);

/** Sights with the seconds that pass before each; sometimes the clock jumps back. */
const aLife = fc.array(
  fc.record({
    seconds: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 0, max: 600 }) },
      { weight: 1, arbitrary: fc.integer({ min: -600, max: 0 }) },
      { weight: 1, arbitrary: fc.integer({ min: 600, max: 100_000 }) },
    ),
    observed: aSight,
    /** Seconds for which somebody takes it afterwards. */
    takenFor: fc.option(fc.integer({ min: 60, max: 20_000 }), { nil: undefined, freq: 5 }),
  }),
  { maxLength: 60 },
);

interface Step {
  readonly before: Incident | undefined;
  readonly after: Incident | undefined;
  readonly observed: ObservedTrouble;
  readonly context: EvolveContext;
  readonly effect: string;
}

interface LifeStep {
  readonly seconds: number;
  readonly observed: ObservedTrouble;
  readonly takenFor: number | undefined;
}

/** Plays a life; numbers are drawn when they are asked for. */
function play(life: readonly LifeStep[]): readonly Step[] {
  let at = start.getTime();
  let number = 0;
  let incident: Incident | undefined;
  return life.map(({ seconds, observed, takenFor }) => {
    at += seconds * 1000;
    const base = { policy: defaultPolicy.alerting, now: new Date(at), targets: { hear: ['ops'], all: ['ops'] } };
    let context: EvolveContext = { ...base, nextNumber: undefined };
    let evolved = evolve(incident, observed, context);
    if (evolved.effect === 'needs-number') {
      number += 1;
      context = { ...base, nextNumber: number };
      evolved = evolve(incident, observed, context);
    }
    const step = { before: incident, after: evolved.incident, observed, context, effect: evolved.effect };
    incident = takenFor === undefined ? evolved.incident : taken(evolved.incident, takenFor, context);
    return step;
  });
}

/** Somebody takes it now, if there is anything to take. */
function taken(incident: Incident | undefined, forSeconds: number, context: EvolveContext): Incident | undefined {
  if (incident === undefined) return undefined;
  const wish = {
    kind: 'acknowledged' as const,
    by: 'anna',
    reason: '',
    askedAt: context.now.toISOString(),
    forSeconds,
  };
  const answer = attend(incident, wish, context);
  return answer.kind === 'attended' ? answer.incident : incident;
}

function everyStep(check: (step: Step) => void): void {
  alwaysHolds(
    'life of an incident',
    fc.property(aLife, (life) => {
      for (const step of play(life)) check(step);
    }),
    { numRuns: runs(2000) },
  );
}

describe('whatever is seen, in whatever order, at whatever time', () => {
  test('the same step taken twice changes nothing the second time', () => {
    everyStep(({ after, observed, context }) => {
      const again = evolve(after, observed, context);

      expect(again.incident).toBe(after);
      expect(again.effect).toBe('nothing');
    });
  });

  test('[I9] the sequence never goes back, nor what any target is owed', () => {
    everyStep(({ before, after }) => {
      expect(after?.seq ?? 0).toBeGreaterThanOrEqual(before?.seq ?? 0);
      const owed = after?.deliveries['ops'];
      if (owed !== undefined) expect(owed.wantedSeq).toBeGreaterThanOrEqual(before?.deliveries['ops']?.wantedSeq ?? 0);
    });
  });

  test('[I9] everything that people must know raises the sequence and is owed to every target', () => {
    everyStep(({ before, after, effect }) => {
      if (!['opened', 'updated', 'resolved', 'refreshed'].includes(effect)) {
        expect(after?.seq ?? 0).toBe(before?.seq ?? 0);
        return;
      }
      expect(after?.seq).toBeGreaterThan(before?.seq ?? 0);
      expect(after?.deliveries['ops']?.wantedSeq).toBe(after?.seq);
      if (effect !== 'refreshed') expect(after?.notes.at(-1)?.seq).toBe(after?.seq);
    });
  });

  test('[I4] nothing is resolved without a good read that shows its end', () => {
    everyStep(({ before, after, observed, effect }) => {
      if (effect !== 'resolved') return;
      expect(['false', 'removed']).toContain(observed.kind);
      if (observed.kind === 'removed') return;
      expect(before?.state).toBe('resolving');
      expect(before?.goneSince).toBeDefined();
      expect(after?.outcome).toBe('fixed');
    });
  });

  test('[I4] a failed read changes neither the state nor what was told', () => {
    everyStep(({ before, after, observed }) => {
      if (observed.kind !== 'unseen') return;
      expect(after?.state).toBe(before?.state);
      expect(after?.notes).toEqual(before?.notes);
      expect(after?.goodReadsGone).toBe(before?.goodReadsGone);
    });
  });

  test('[I2] every opening has exactly one end before the next opening', () => {
    everyStep(({ after }) => {
      if (after === undefined || after.notes.length > 24) return;
      const turns = after.notes
        .map(({ kind }) => kind)
        .filter((kind) => ['opened', 'reopened', 'resolved'].includes(kind));
      turns.forEach((kind, index) => {
        if (index === 0) expect(kind).toBe('opened');
        else expect(kind).toBe(turns[index - 1] === 'resolved' ? 'reopened' : 'resolved');
      });
      const isOpen = after.state === 'firing' || after.state === 'resolving';
      if (isOpen) expect(turns.at(-1)).not.toBe('resolved');
      if (after.state === 'ok' && turns.length > 0) expect(turns.at(-1)).toBe('resolved');
    });
  });

  test('[I6] no reminder while it cannot be seen, is explained by something else, or is going away', () => {
    everyStep(({ before, after, observed }) => {
      const reminded = after?.notes.at(-1);
      if (reminded?.kind !== 'reminder' || reminded.seq === before?.notes.at(-1)?.seq) return;
      expect(after?.state).toBe('firing');
      expect(observed).toMatchObject({ kind: 'true', inhibitedBy: undefined });
    });
  });

  test('[S1-13] [I6] no reminder while somebody looks after it, but the one that says that this ends soon', () => {
    everyStep(({ before, after, context }) => {
      const note = after?.notes.at(-1);
      if (note?.kind !== 'reminder' || note.seq === before?.notes.at(-1)?.seq || after === undefined) return;
      if (isAttended(after, context.now))
        expect([before?.attention?.warned, after.attention?.warned]).toEqual([false, true]);
    });
  });

  test('[S1-13] somebody who took it is not forgotten before the time is over or it gets worse', () => {
    everyStep(({ before, after, observed, context }) => {
      if (before?.attention === undefined || observed.kind !== 'true' || after?.number !== before.number) return;
      const holds = isAttended({ ...before, trouble: observed.trouble }, context.now);
      if (holds) expect(after.attention?.until).toBe(before.attention.until);
    });
  });

  test('[S1-13] nothing is told aloud of what somebody looks after, but that it came back', () => {
    everyStep(({ before, after, context, effect }) => {
      if (effect !== 'updated' || after === undefined || before?.attention === undefined) return;
      if (isAttended(after, context.now)) expect(after.notes.at(-1)?.kind).not.toBe('escalated');
      if (after.notes.at(-1)?.kind === 'escalated' && after.trouble !== undefined)
        expect(isAttended({ ...before, trouble: after.trouble }, context.now)).toBe(false);
    });
  });

  test('[I7] in quiet mode nothing is told but reminders, each higher severity once, or as it is back for ten minutes, that nobody looks after it any more, its own end and the end of the trouble', () => {
    everyStep(({ before, after, effect }) => {
      if (before?.flapping !== true || effect === 'nothing' || effect === 'noted' || effect === 'refreshed') return;
      const told = after?.notes.at(-1)?.kind;
      if (told !== 'escalated' && told !== 'changed')
        return expect(['reminder', 'unattended', 'flapping', 'resolved']).toContain(told);
      expect(isNewsWhileFlapping(before, after)).toBe(true);
    });
  });

  test('a number is drawn for each opening and for nothing else', () => {
    everyStep(({ before, after, context, effect }) => {
      if (context.nextNumber === undefined) expect(after?.number ?? 0).toBe(before?.number ?? 0);
      else {
        expect(effect).toBe('opened');
        expect(after?.number).toBe(context.nextNumber);
      }
    });
  });

  test('[S1-13] the end names what people were told of by a message, or what lasted before it', () => {
    alwaysHolds(
      'life of an incident',
      fc.property(aLife, (life) => {
        let heard: Heard = { told: [], last: undefined };
        for (const step of play(life)) {
          heard = after(heard, step);
          const told = step.after && publishedIncident(step.after, 'resolved');
          if (step.effect === 'resolved' && heard.told.length > 0) expect(heard.told).toContain(told?.data.headline);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});

function isNewsWhileFlapping(before: Incident, after: Incident | undefined): boolean {
  const [known, now] = [before.flappingAt ?? before.trouble?.severity, after?.trouble?.severity];
  if (known === undefined || now === undefined) return false;
  if (/^Severity \w+ again: /.test(after?.notes.at(-1)?.text ?? '')) return isKnownToBeBack(before, now);
  return severityRank(now) < severityRank(known) && [now, undefined].includes(after?.flappingAt);
}

function isKnownToBeBack({ severities }: Incident, now: Severity): boolean {
  return severities?.some(({ severity, backSince }) => severity === now && backSince !== undefined) === true;
}

/** What people know of the causes of an episode that do not heal by themselves. */
interface Heard {
  readonly told: readonly string[];
  /** The cause that the last look showed, and since when. */
  readonly last: { readonly headline: string; readonly since: number } | undefined;
}

function after(heard: Heard, step: Step): Heard {
  const told = step.after?.number === step.before?.number ? heard.told : [];
  const { observed, context } = step;
  if (observed.kind !== 'true' || observed.inhibitedBy !== undefined) return { ...heard, told };
  const { headline, class: kind } = observed.trouble;
  if (kind !== 'structural' && kind !== 'external') return { told, last: undefined };
  const now = context.now.getTime();
  const since = heard.last?.headline === headline ? Math.min(now, heard.last.since) : now;
  const lasts = now - since >= defaultPolicy.alerting.holdDownSeconds * 1000;
  const isTold = step.after?.state === 'firing' && (lasts || hasNews(step));
  return { told: isTold ? [...told, headline] : told, last: { headline, since } };
}

function hasNews({ before, after: now }: Step): boolean {
  return (now?.notes ?? []).some(({ seq, kind }) => seq > (before?.seq ?? 0) && kind !== 'changed');
}
