import { marksOfGit } from '../guard/app-project.ts';
import type { LostGuards } from '../guard/guard-problem.ts';
import { fieldManager } from '../openshift/hold.ts';
import { listAt, mappingAt, memberOf, textAt } from '../openshift/member.ts';
import { foreignName } from '../text/foreign-text.ts';

/** An AppProject from which somebody had taken windows of a sequence that had stood there, and where they stand
 *  again. */
export interface LostWindows extends LostGuards {
  readonly sequence: string;
  /** That has the AppProject. */
  readonly cluster: string;
}

/** Who last wrote the windows of an AppProject besides us, by managedFields, and whether it is applied from Git. */
export function writerOfWindows(project: unknown): Pick<LostGuards, 'by' | 'isTracked'> {
  const metadata = memberOf(project, 'metadata');
  const writers = listAt(metadata, 'managedFields').filter((entry) => {
    const spec = memberOf(memberOf(entry, 'fieldsV1'), 'f:spec');
    return textAt(entry, 'manager') !== fieldManager && memberOf(spec, 'f:syncWindows') !== undefined;
  });
  const newest = writers.toSorted((a, b) => instantOf(b) - instantOf(a))[0];
  const by = textAt(newest, 'manager') ?? '';
  const marks = { ...mappingAt(metadata, 'annotations'), ...mappingAt(metadata, 'labels') };
  return {
    by: by === '' ? 'somebody' : foreignName(by),
    isTracked: marksOfGit.some((key) => Object.hasOwn(marks, key)),
  };
}

function instantOf(entry: unknown): number {
  const at = Date.parse(textAt(entry, 'time') ?? '');
  return Number.isNaN(at) ? 0 : at;
}
