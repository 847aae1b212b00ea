import { kindWord } from '../text/kind-words.ts';
import { jsonPatch } from '../text/shell-words.ts';
import type { AppProject } from './app-project.ts';
import { applicationOfGuard, guardsAnnotation } from './guard-record.ts';
import { isOurs, nameOfWindow } from './sync-windows.ts';

/** The command that takes the window of an Application away without Poolkeeper; it fails if the list has changed.
 *  Undefined: there is none. */
export function openByHand(
  { namespace, name, windows }: Pick<AppProject, 'namespace' | 'name' | 'windows'>,
  application: string,
): string | undefined {
  const index = windows.findIndex((window) => isOurs(window) && nameOfWindow(window) === application);
  if (index < 0) return undefined;
  return patchOf({ namespace, name }, withoutWindow(index, application));
}

/** Windows that one command takes away, at most: it is read by people. */
const windowsAtMost = 20;

/** The command that has the record of a project written anew, and takes the windows of these Applications away: what
 *  still needs one gets it from the Poolkeeper that guards it, by its next look at all Applications.
 *  @param applications `<namespace>/<name>`; none: the windows stay */
export function forgetByHand(
  { namespace, name, windows }: Pick<AppProject, 'namespace' | 'name' | 'windows'>,
  applications: readonly string[],
): string {
  const names = new Set(applications.map((application) => applicationOfGuard({ application }).name));
  const found = windows.flatMap((window, index) => {
    const of = isOurs(window) ? nameOfWindow(window) : undefined;
    return of !== undefined && names.has(of) ? [{ index, of }] : [];
  });
  // From the end, so that those before keep their places.
  const steps = found.slice(-windowsAtMost).toReversed();
  return patchOf({ namespace, name }, [
    { op: 'remove', path: `/metadata/annotations/${guardsAnnotation.replace('/', '~1')}` },
    ...steps.flatMap(({ index, of }) => withoutWindow(index, of)),
  ]);
}

function withoutWindow(index: number, application: string): readonly object[] {
  const path = `/spec/syncWindows/${index}`;
  return [
    { op: 'test', path: `${path}/applications/0`, value: application },
    { op: 'remove', path },
  ];
}

function patchOf({ namespace, name }: Pick<AppProject, 'namespace' | 'name'>, steps: readonly object[]): string {
  return jsonPatch({ kind: kindWord('AppProject'), name, namespace }, steps);
}
