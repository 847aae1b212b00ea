import { command } from '../text/shell-words.ts';
import type { AppProject } from './app-project.ts';
import { isOurs, nameOfWindow } from './sync-windows.ts';

/** The command that takes the window of an Application away without Poolkeeper; it fails if the list has changed.
 *  Undefined: there is none. */
export function openByHand(
  { namespace, name, windows }: Pick<AppProject, 'namespace' | 'name' | 'windows'>,
  application: string,
): string | undefined {
  const index = windows.findIndex((window) => isOurs(window) && nameOfWindow(window) === application);
  if (index < 0) return undefined;
  const path = `/spec/syncWindows/${index}`;
  const patch = [
    { op: 'test', path: `${path}/applications/0`, value: application },
    { op: 'remove', path },
  ];
  return command('oc', '-n', namespace, 'patch', 'appproject', name, '--type', 'json', '-p', JSON.stringify(patch));
}
