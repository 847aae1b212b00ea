import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { catalogue } from '../../functions/core/diagnose/catalogue.ts';
import { everyFinding } from '../../functions/core/findings/chain.ts';
import { forSharing } from '../../local/snapshot/for-sharing.ts';
import { corpus } from './corpus.ts';
import { diagnosisPages } from './diagnosis-page.ts';
import { causesOf, expectedCauses, explainSituation } from './explain-situation.ts';
import { verdictOnUs } from './verdict.ts';

const explained = await Promise.all(
  corpus.map(async (situation) => ({ situation, explanation: await explainSituation(situation.snapshot) })),
);

test.each(explained.map((each) => [each.situation.id, each] as const))(
  '[S1-4] [N-12] %s has this cause and no other',
  (_id, { situation, explanation }) => {
    expect(causesOf(explanation)).toEqual(expectedCauses(situation.expected));
    expect(explanation.notRead).toEqual([]);
  },
);

describe('the corpus as a whole', () => {
  test('[N-12] has no wrong cause in it, and enough that is none', () => {
    const verdicts = explained.map(({ situation, explanation }) => verdictOnUs(situation.expected, explanation));

    expect(verdicts.filter((verdict) => verdict === 'wrong')).toEqual([]);
    expect(corpus.length).toBeGreaterThanOrEqual(60);
    expect(
      corpus.filter(({ id, expected }) => id.startsWith('decoy-') || expected === 'nothing').length,
    ).toBeGreaterThanOrEqual(15);
    expect(new Set(corpus.map(({ id }) => id)).size).toBe(corpus.length);
  });

  test('[S1-4] has every cause of a pool or a node that an explanation can find', () => {
    // Syncs, late pauses, Poolkeeper itself (A, Z, B, M) and sequences (Q) are no matter of nodes; S14 is looked at
    // before a resume alone. W2 is known for certain only where a rollout was followed, which a snapshot is not.
    const elsewhere = /^(?:[AZBMQGFV]\d|S14$|W2$)/;
    const found = new Set(
      explained.flatMap(({ explanation }) =>
        explanation.pools.flatMap(({ troubles }) =>
          troubles.flatMap(({ findings }) => findings.flatMap(everyFinding).map(({ code }) => code)),
        ),
      ),
    );

    const missing = catalogue
      .flatMap(({ causes }) => causes.map(({ code }) => code))
      .filter((code) => !elsewhere.test(code) && !found.has(code));

    expect(missing).toEqual([]);
  });

  test.each([
    ['[S3-4] drift on the disk is a cause of its own', ['file-edited', 'file-mode-changed'], 'N1'],
    ['[S3-4] another operating system than the desired one is not drift', ['booted-the-old-system'], 'N2'],
    ['[S3-4] lost kernel arguments are neither', ['kernel-arguments-lost'], 'N3'],
    ['[S3-11] a node back on the system it had before is none of them', ['fell-back-after-a-failed-boot'], 'N16'],
  ])('%s', (_title, ids, code) => {
    const found = explained.filter(({ situation }) => ids.includes(situation.id));

    expect(found).toHaveLength(ids.length);
    expect(
      new Set(found.flatMap(({ explanation }) => causesOf(explanation).map((cause) => cause.split(' ')[1]))),
    ).toEqual(new Set([code]));
  });

  test('[S1-12] every cause that is known comes with something to do', () => {
    const helpless = explained.filter(({ explanation }) =>
      explanation.pools.some(({ troubles }) =>
        troubles.some(({ findings }) =>
          findings.some(
            (finding) =>
              finding.class !== 'unknown' && everyFinding(finding).every(({ remedies }) => remedies.length === 0),
          ),
        ),
      ),
    );

    expect(helpless.map(({ situation }) => situation.id)).toEqual([]);
  });

  test('[S1-18] nothing that is printed goes round a budget, and what an operator guards is left alone', () => {
    const commands = explained.flatMap(({ situation, explanation }) =>
      explanation.pools.flatMap(({ troubles }) =>
        troubles.flatMap(({ findings }) =>
          findings
            .flatMap(everyFinding)
            .flatMap(({ code, remedies }) =>
              remedies.map(({ command = '', undo }) => ({ id: situation.id, code, command, undo })),
            ),
        ),
      ),
    );

    expect(
      commands.filter(({ command }) => /--force|--disable-eviction|delete (?:pdb|poddisruptionbudget)/.test(command)),
    ).toEqual([]);
    expect(commands.filter(({ command, undo }) => /patch pdb/.test(command) && undo === undefined)).toEqual([]);
    expect(commands.filter(({ code, command }) => code === 'P8' && command !== '')).toEqual([]);
  });

  test('what `record` leaves out changes no answer', async () => {
    const changed = await Promise.all(
      explained.map(async ({ situation: { id, snapshot }, explanation }) => {
        const readings = snapshot.readings.map((reading) =>
          reading.answer.kind === 'found' && reading.form !== 'table'
            ? { ...reading, answer: { kind: 'found' as const, body: forSharing(reading.path, reading.answer.body) } }
            : reading,
        );
        const shared = await explainSituation({ ...snapshot, readings });
        return JSON.stringify(shared) === JSON.stringify(explanation) ? [] : [id];
      }),
    );

    expect(changed.flat()).toEqual([]);
  });

  test('[N-12] docs/diagnosis.md and the page beside the corpus say how it and others do on it (else: npm run docs)', async () => {
    const pages = await diagnosisPages();

    expect(Object.keys(pages)).toHaveLength(2);
    for (const [path, text] of Object.entries(pages))
      expect(readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')).toBe(text);
  });
});
