import { describe, expect, test } from 'vitest';
import { breakGlassAnnotation } from '../../../../functions/core/argocd/refused-sync.ts';
import type { Answer } from '../../../../functions/core/findings/question.ts';
import { isInBlindSpot } from '../../../../functions/core/judge/blind-spot.ts';
import { breakGlassQuestions, readBreakGlass } from '../../../../functions/core/judge/break-glass.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { minutesAgo, now } from '../diagnose/world.ts';
import { aJudgeInput } from './a-judge-input.ts';

const key = { cluster: 'prod', pool: '*', kind: 'break-glass' } as const;
const annotated = { 'f:metadata': { 'f:annotations': { [`f:${breakGlassAnnotation}`]: {} } } };

function machineConfig(name: string, reason: string | undefined, changedAt = minutesAgo(60), generation = 7) {
  return {
    metadata: {
      name,
      generation,
      annotations: reason === undefined ? {} : { [breakGlassAnnotation]: reason },
      managedFields: [
        { manager: 'argocd', time: changedAt, fieldsV1: { 'f:spec': { 'f:config': {} } } },
        { manager: 'kubectl-annotate', time: minutesAgo(30), fieldsV1: annotated },
      ],
    },
  };
}

function answers(...items: readonly object[]): readonly Answer[] {
  const readAt = new Date(now);
  return breakGlassQuestions.map((_, index) =>
    index === 0 ? { kind: 'found', body: { items }, readAt } : { kind: 'absent', readAt },
  );
}

function judged(exemptions: ReturnType<typeof readBreakGlass> | 'not-asked') {
  const breakGlass = exemptions === 'not-asked' || exemptions === undefined ? notAsked : seen(exemptions);
  return judge(aJudgeInput({ now: new Date(now), breakGlass }));
}

describe('break-glass', () => {
  test('[N-27] [N-30] hundreds of annotated objects of a tenant do not hide the one of somebody else, and fit a row', () => {
    const until = minutesAgo(-60).replace('.000Z', 'Z');
    const own = Array.from({ length: 1_500 }, (_, index) => {
      const name = `00-${index}-`.padEnd(200, 'x');
      return machineConfig(name, `creation of ${name} until ${until}: a test`, minutesAgo(40));
    });
    const other = machineConfig('99-worker', `update of 99-worker at generation 6 until ${until}: CVE`, minutesAgo(1));

    const [before] = judged(readBreakGlass(answers(...own))).troubles;
    const [trouble] = judged(readBreakGlass(answers(...own, other))).troubles;

    expect(trouble?.headline).toContain('MachineConfig 99-worker');
    expect(trouble?.findings[0]?.sentence).toContain('update of MachineConfig 99-worker');
    expect(trouble?.digest).not.toBe(before?.digest);
    expect(JSON.stringify(trouble).length).toBeLessThan(128 * 1024);
  });

  test('[N-27] is told with who, why and whether the object was changed since, as long as it stands', () => {
    const exemptions = readBreakGlass(
      answers(
        machineConfig('99-a', 'CVE of tonight', minutesAgo(10)),
        machineConfig('99-b', 'ticket 7'),
        machineConfig('99-c', undefined),
      ),
    );

    const [trouble, ...more] = judged(exemptions).troubles;

    expect(more).toEqual([]);
    expect(trouble).toMatchObject({ key, severity: 'warning', class: 'structural', since: minutesAgo(30) });
    expect(trouble?.headline).toBe('break-glass on MachineConfig 99-a and MachineConfig 99-b');
    expect(trouble?.findings.map(({ code, sentence }) => [code, sentence])).toEqual([
      [
        'A5',
        expect.stringMatching(/kubectl-annotate annotated it \(.*CVE of tonight.*\)\. It was changed by argocd at /),
      ],
      ['A5', expect.not.stringContaining('It was changed')],
    ]);
    expect(trouble?.findings[0]?.remedies[0]?.command).toBe(
      'oc annotate machineconfig 99-a poolkeeper.dev/break-glass-',
    );
  });

  test.each([
    [
      'update of 99-a at generation 7',
      7,
      /^One update of MachineConfig 99-a at generation 7 is allowed while .* until /,
    ],
    ['update of 99-a at generation 6', 7, /^The update of MachineConfig 99-a at generation 6 is done, /],
    ['deletion of 99-a at generation 7', 7, /^One deletion of MachineConfig 99-a at generation 7 /],
    ['update of 99-b at generation 7', 7, /^MachineConfig 99-a is annotated without the change/],
    ['creation of 99-a', 1, /^MachineConfig 99-a could be created /],
  ])('[N-27] names its change: %s', (change, generation, words) => {
    const glass = `${change} until ${minutesAgo(-60).slice(0, 19)}Z: CVE of tonight`;

    const [trouble] = judged(
      readBreakGlass(answers(machineConfig('99-a', glass, minutesAgo(60), generation))),
    ).troubles;

    expect(trouble?.findings[0]?.sentence).toMatch(words);
    expect(trouble?.findings[0]?.sentence).toContain('CVE of tonight');
  });

  test('[N-27] each change under it is told: another one, and that one was made, make another message', () => {
    const glass = (change: string) => `${change} until ${minutesAgo(-60).slice(0, 19)}Z: CVE`;
    const digestOf = (change: string, generation: number) =>
      judged(readBreakGlass(answers(machineConfig('99-a', glass(change), minutesAgo(60), generation)))).troubles[0]
        ?.digest;
    const digests = [
      digestOf('update of 99-a at generation 7', 7),
      digestOf('update of 99-a at generation 7', 8),
      digestOf('update of 99-a at generation 8', 8),
      digestOf('deletion of 99-a at generation 8', 8),
    ];

    expect(new Set(digests).size).toBe(digests.length);
    expect(digestOf('update of 99-a at generation 7', 7)).toBe(digests[0]);
  });

  test('[N-27] is over when its time has passed; a change that was made is told for a day, so that no sweep misses it', () => {
    const glass = (until: string) => `update of 99-a at generation 7 until ${until.slice(0, 19)}Z: CVE`;
    const found = (until: string, generation: number) =>
      readBreakGlass(answers(machineConfig('99-a', glass(until), minutesAgo(60), generation)))?.length;

    expect(found(minutesAgo(1), 7)).toBe(0);
    expect(found(minutesAgo(1), 8)).toBe(1);
    expect(found(minutesAgo(25 * 60), 8)).toBe(0);
    expect(found(minutesAgo(-1), 7)).toBe(1);
  });

  test.each([
    ['an empty reason, which the policy does not take', ' '],
    ['no annotation', undefined],
  ])('is not %s', (_, reason) => {
    expect(readBreakGlass(answers(machineConfig('99-a', reason)))).toEqual([]);
  });

  test('is asked for by metadata alone', () => {
    expect(breakGlassQuestions.every(({ form }) => form === 'metadata')).toBe(true);
  });

  test('[N-27] is not over because it was not looked at', () => {
    const readAt = new Date(now);
    const failed = breakGlassQuestions.map((): Answer => ({ kind: 'failed', why: 'timeout', readAt }));

    expect(readBreakGlass(failed)).toBeUndefined();
    expect(isInBlindSpot(judged('not-asked').unseen, key)).toBe(true);
    expect(isInBlindSpot(judged([]).unseen, key)).toBe(false);
  });
});
