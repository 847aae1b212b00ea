import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import { keyText, type Trouble, type TroubleKey } from '../findings/trouble.ts';
import { poolsText, type RunProgress } from '../node-turns/run-progress.ts';
import { counted, listed } from '../text/phrases.ts';
import { poolkeeperCommand } from '../text/shell-words.ts';
import type { BlindSpot } from './blind-spot.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';

type RunsLook = Pick<JudgeInput, 'cluster' | 'runs' | 'runProgress' | 'now'>;

/** Runs whose progress people want to read: one message for each, which is edited with each node. It is no fault. */
export function runsUnderWay({ cluster, runProgress, now }: RunsLook): readonly Trouble[] {
  return (runProgress?.runs ?? [])
    .filter(({ end }) => end === undefined)
    .map((progress) => troubleOf(progress, cluster, now.toISOString()));
}

/** A run that could not be looked at just now has not ended. */
export function progressUnseen({ cluster, runs, runProgress }: RunsLook): readonly BlindSpot[] {
  const why = runs?.kind === 'not-asked' ? 'not looked at in this pass' : runProgress?.unseen;
  return why === undefined ? [] : [{ cluster, pool: '*', kinds: ['run-under-way'], why }];
}

/** How runs ended, by the key of their message. */
export function progressEndings({ cluster, runProgress }: RunsLook): readonly (readonly [string, string])[] {
  return (runProgress?.runs ?? []).flatMap(({ pool, end }) =>
    end === undefined ? [] : [[keyText(keyOf(cluster, pool)), end] as const],
  );
}

function keyOf(cluster: string, pool: string): TroubleKey {
  return { cluster, pool, kind: 'run-under-way' };
}

function troubleOf(progress: RunProgress, cluster: string, readAt: string): Trouble {
  const { run, pool, done, total, state, underWay, next, since } = progress;
  const of = ref('Run', run);
  const count = `${done} of ${counted(total, 'node')}`;
  return makeTrouble({
    key: keyOf(cluster, pool),
    severity: 'info',
    headline: `run ${run}: ${count} done${state === 'running' ? '' : `, ${state}`}`,
    since,
    findings: [
      finding({
        code: 'V4',
        subject: of,
        sentence: `Run ${run} takes the nodes of ${poolsText(progress)} to what is rendered for them, in turns.`,
        confidence: 'certain',
        class: 'structural',
        evidence: [evidence(of, 'last look', `${count} done`, readAt)],
        remedies: [
          remedy('See what each node does and waits for', {
            command: poolkeeperCommand('run', 'status', run),
          }),
          remedy('Let no further node begin', {
            command: poolkeeperCommand('run', 'pause', run, '--reason', '...'),
            risk: 'low',
          }),
        ],
      }),
    ],
    facts: [
      { label: 'Nodes', value: `${count} done` },
      { label: 'Under way', value: listed(underWay, 3) },
      { label: 'Next', value: next ?? '' },
    ].filter(({ value }) => value !== ''),
  });
}
