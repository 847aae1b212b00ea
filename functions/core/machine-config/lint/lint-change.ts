import type { Warning } from '../disruption.ts';
import { facetsOf } from '../facet.ts';
import type { MachineConfigContent } from '../machine-config.ts';
import { changeLimits, changeTexts } from './change-texts.ts';
import { lintMachineConfig } from './lint-machine-config.ts';
import { notLookedAt } from './shared-warnings.ts';

/** MachineConfigs of one change that are checked for a cluster: each is compared with all others. */
const lintedAtMost = 100;

/** The checks of one change, whichever clusters it reaches: what it has is read once, within one bound. */
export interface ChangeLint {
  /** Reads a MachineConfig ahead: between two of them somebody else may have a turn. */
  readonly read: (config: MachineConfigContent) => void;
  /** Warnings of what a cluster gets.
   *  @param live MachineConfigs of the cluster; undefined: there may be some, of which nothing is to be told */
  readonly warningsOf: (
    after: readonly MachineConfigContent[],
    live: readonly MachineConfigContent[] | undefined,
  ) => readonly Warning[];
}

export function changeLint(limits: Readonly<typeof changeLimits> = changeLimits): ChangeLint {
  const texts = changeTexts(limits);
  const read = (config: MachineConfigContent) => texts.read([...facetsOf(config).values()]);
  // Without what a cluster has, the answer is the same for all that get the same.
  const answers: { readonly after: readonly MachineConfigContent[]; readonly warnings: readonly Warning[] }[] = [];
  const ask = (after: readonly MachineConfigContent[], live: readonly MachineConfigContent[] | undefined) => {
    const linted = after.slice(0, lintedAtMost);
    for (const config of linted) read(config);
    const others = [...linted, ...(live ?? [])];
    const context = { others, areMore: live === undefined, texts };
    return [
      ...linted.flatMap((config) => lintMachineConfig(config, context)),
      ...(after.length > lintedAtMost
        ? [notLookedAt(`${after.length - lintedAtMost} more MachineConfigs of the change were not looked at`)]
        : []),
    ];
  };
  return {
    read,
    warningsOf: (after, live) => {
      if (live !== undefined) return ask(after, live);
      const known = answers.find((each) => isSameList(each.after, after));
      if (known !== undefined) return known.warnings;
      const warnings = ask(after, live);
      answers.push({ after, warnings });
      return warnings;
    },
  };
}

function isSameList(left: readonly MachineConfigContent[], right: readonly MachineConfigContent[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index]);
}
