import { remedy } from '../diagnose/remedies.ts';
import type { Remedy } from '../findings/trouble.ts';
import type { LostGuards } from '../guard/guard-problem.ts';
import type { LostWindows } from '../sequences/lost-windows.ts';
import { command } from '../text/shell-words.ts';
import { unique } from '../text/unique.ts';
import type { JudgeInput } from './input.ts';
import { lostClocks } from './lost-guards.ts';

/** No pool can have this name. Of windows of sequences that somebody had taken away, one for each time. */
const prefix = '*|sequence|lost|';

export interface LostWindowsClocks {
  /** Told now, each with the first time that counts. */
  readonly told: readonly (LostWindows & { readonly since: string })[];
  /** To be stored until the next pass. */
  readonly firstSeen: JudgeInput['firstSeen'];
}

/** Counts how often windows of sequences were taken away, of each sequence and cluster for itself: one sync may write
 *  AppProjects of one name on many. */
export function lostWindowsClocks({
  lostWindows = [],
  firstSeen: before,
  now,
}: Pick<JudgeInput, 'lostWindows' | 'firstSeen' | 'now'>): LostWindowsClocks {
  const known = Object.entries(before).filter(([key]) => key.startsWith(prefix));
  const knownBy = Map.groupBy(known, ([key]) => key.slice(prefix.length).split('|').slice(0, 2).join('|'));
  const lostBy = Map.groupBy(lostWindows, ({ sequence, cluster }) => `${sequence}|${cluster}`);
  const counted = unique([...knownBy.keys(), ...lostBy.keys()]).map((whose) => {
    const clocks = lostClocks(Object.fromEntries(knownBy.get(whose) ?? []), lostBy.get(whose), {
      prefix: `${prefix}${whose}|`,
      now,
    });
    return { whose, ...clocks };
  });
  return {
    told: counted.flatMap(({ whose, told }) => {
      const [sequence = '', cluster = ''] = whose.split('|');
      return told.map(({ problem: { kind: _, ...lost }, since }) => ({ ...lost, sequence, cluster, since }));
    }),
    firstSeen: Object.assign({}, ...counted.map(({ firstSeen }) => firstSeen)),
  };
}

/** What ends it that windows are taken away, for guards and sequences. */
export function remediesOfLost({ namespace, project, isTracked }: Omit<LostGuards, 'by'>): readonly Remedy[] {
  const git = isTracked ? 'An Application applies the AppProject from Git' : 'If an Application applies it from Git';
  return [
    remedy(
      `${git}: let that one ignore /spec/syncWindows of it (ignoreDifferences, and the sync option RespectIgnoreDifferences=true)`,
      { who: 'application owner' },
    ),
    remedy('See who writes its windows, in managedFields', {
      command: command(
        'oc',
        ...['-n', namespace, 'get', 'appprojects.argoproj.io', project, '-o', 'yaml', '--show-managed-fields'],
      ),
    }),
  ];
}
