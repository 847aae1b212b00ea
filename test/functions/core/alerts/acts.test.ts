import { describe, expect, test } from 'vitest';
import type { IncidentNote } from '../../../../functions/core/alerts/incident.ts';
import type { Trouble } from '../../../../functions/core/findings/trouble.ts';
import type { BreakGlassExemption } from '../../../../functions/core/judge/break-glass.ts';
import { emergencyTroubles } from '../../../../functions/core/judge/emergency-troubles.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { seen } from '../../../../functions/core/text/observed.ts';
import { aPool } from '../../../fakes/index.ts';
import { aJudgeInput } from '../judge/a-judge-input.ts';
import { aStory, lasting, minute } from './incident-lab.ts';

/** The notes of what is seen at each minute. */
function notesOf(minutes: number, look: (at: number) => Trouble | undefined): readonly IncidentNote[] {
  const story = aStory();
  const notes: IncidentNote[] = [];
  for (let at = 0; at < minutes; at += 1) {
    const before = story.incident?.seq ?? 0;
    const trouble = look(at);
    if (trouble !== undefined) story.wrong(at, trouble);
    else if (story.incident !== undefined) story.gone(at);
    notes.push(...(story.incident?.notes ?? []).filter(({ seq }) => seq > before));
  }
  return notes;
}

/** Those that reach every target, with their minutes. */
function toAll(notes: readonly IncidentNote[]): readonly string[] {
  return notes
    .filter(({ kind }) => kind !== 'changed' && kind !== 'reminder')
    .map(({ at, kind }) => `${(Date.parse(at) - minute(0).getTime()) / 60_000} ${kind}`);
}

describe('a break-glass', () => {
  function exempted(name: string, from: number, isMade = false): BreakGlassExemption {
    const names = { act: 'update', generation: 7, until: minute(600).toISOString(), isMade } as const;
    const at = minute(from).toISOString();
    return { kind: 'MachineConfig', name, reason: 'CVE', by: 'kubectl', at, changed: undefined, names };
  }

  function glass(at: number, exemptions: readonly BreakGlassExemption[]): Trouble | undefined {
    return judge(aJudgeInput({ now: minute(at), breakGlass: seen(exemptions) })).troubles[0];
  }

  function ofOther(at: number): readonly BreakGlassExemption[] {
    return at < 60 ? [] : [exempted('99-worker', 60, at >= 75)];
  }

  test('[N-27] [N-30] of somebody else, and that it was used, is told everybody while an own one stays', () => {
    const notes = notesOf(120, (at) => glass(at, [exempted('own', 0), ...ofOther(at)]));

    expect(toAll(notes)).toEqual(['0 opened', '60 escalated', '75 escalated']);
    expect(notes.at(-1)?.text).toContain('The update of MachineConfig 99-worker at generation 7 is done');
  });

  test('[N-27] [N-30] [N-18] also while an own one comes and goes', () => {
    const notes = notesOf(110, (at) => glass(at, [...(at % 6 < 4 ? [exempted('own', at)] : []), ...ofOther(at)]));

    expect(toAll(notes)).toEqual(['0 opened', '18 flapping', '60 escalated', '75 escalated']);
    expect(notes[1]?.text).toContain('a higher severity and what people do or ask anew');
    expect(notes.at(-2)?.text).toContain('One update of MachineConfig 99-worker at generation 7 is allowed');
  });

  test('[N-27] [N-29] of each that joins is named once, whether its finding is shown or not', () => {
    const joining = Array.from({ length: 15 }, (_, index) => exempted(`m${index}`, 58));
    const notes = notesOf(61, (at) => glass(at, [exempted('own', 0), ...(at < 60 ? [] : joining)]));

    const names = /^Joined: (.*?)\. Now/.exec(notes.at(-1)?.text ?? '')?.[1]?.split(/, | and /) ?? [];
    expect(names.toSorted()).toEqual(joining.map(({ name }) => `MachineConfig ${name}`).toSorted());
  });

  test('[N-27] [N-18] with a new one in each minute is told everybody every ten minutes', () => {
    const notes = notesOf(60, (at) => glass(at, [exempted(`own-${at}`, at)]));

    expect(toAll(notes).filter((each) => !each.includes('opened'))).toEqual(
      [1, 11, 21, 31, 41, 51].map((at) => `${at} escalated`),
    );
  });
});

describe('an emergency lane', () => {
  function lane(at: number, who: string, until: number): Trouble | undefined {
    const emergency = { who, why: 'CVE', since: minute(at).toISOString(), until: minute(until).toISOString() };
    const pool = aPool({ record: { kind: 'record', record: { v: 1, holds: [], emergency } } });
    return emergencyTroubles({ pool }, aJudgeInput({ now: minute(at) }))[0];
  }

  test('[N-21] [N-30] is told everybody with its end, however many were opened before', () => {
    const people = ['ann', 'ann', 'bob', 'carol'];
    const notes = notesOf(120, (at) => {
      const from = at - (at % 30);
      return at % 30 < 15 ? lane(at, people[from / 30] ?? '', from + 20) : undefined;
    });

    expect(notes.map(({ kind }) => kind).filter((kind) => kind !== 'resolved')).toEqual([
      'opened',
      'reopened',
      'reopened',
      'reopened',
    ]);
    expect(notes.filter(({ kind }) => kind === 'resolved')).toHaveLength(4);
    expect(notes.at(-2)?.text).toContain('emergency lane opened by carol');
  });

  test('[N-21] [N-30] of another person, or with another end, is told everybody at once', () => {
    const notes = notesOf(10, (at) =>
      at < 2 ? lane(at, 'ann', 30) : at < 4 ? lane(at, 'bob', 30) : lane(at, 'bob', 60),
    );

    expect(toAll(notes)).toEqual(['0 opened', '2 escalated', '4 escalated']);
    for (const { text } of notes) expect(text).not.toContain('Joined');
  });
});

describe('a change that waits for approval', () => {
  function asked(change: string): Trouble {
    const key = { cluster: 'prod', pool: 'worker', kind: 'approval-needed' } as const;
    const digest = `worker:A10:MachineConfigPool worker;info;${change}`;
    return lasting({ key, severity: 'info', headline: `needs ${change}`, digest, asksApproval: change });
  }

  test('[N-17] [N-30] in place of another one is told everybody', () => {
    const notes = notesOf(60, (at) => asked(at < 30 ? 'bbb' : 'ccc'));

    expect(toAll(notes)).toEqual(['0 opened', '30 escalated']);
    expect(notes.at(-1)?.text).toBe('Now: needs ccc');
  });

  test('[N-17] [N-30] [N-18] also while the question comes and goes, as between image builds, once for each change', () => {
    const notes = notesOf(180, (at) => (at % 25 < 12 ? undefined : asked(`image-${Math.floor(at / 25)}`)));

    expect(notes.filter(({ kind }) => kind === 'flapping')).toHaveLength(1);
    const told = notes.filter(({ kind }) => kind !== 'resolved').map(({ text }) => /needs (image-\d)/.exec(text)?.[1]);
    expect(told.filter((each) => each !== undefined)).toEqual([0, 1, 2, 3, 4, 5, 6].map((each) => `image-${each}`));
  });

  test('[N-17] is known of a question that an earlier version has stored', () => {
    const story = aStory();
    story.wrong(0, asked('bbb'));
    story.replace({ ...story.now, heard: undefined });

    story.wrong(1, asked('bbb'));
    expect(story.notes).toEqual(['opened']);
    story.wrong(2, asked('ccc'));
    expect(story.notes).toEqual(['opened', 'escalated']);
  });
});
