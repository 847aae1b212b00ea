import { memberOf } from './plan.ts';

/** By how long they last, windows of sequences are told from everybody else's, those of guards included. Argo CD
 *  refuses two windows that differ in nothing but description. */
const duration = '27h';

/** The deny window by which a sequence holds an Application back: no sync of it begins, automated or by hand. */
function windowOf(application: string): Readonly<Record<string, unknown>> {
  return {
    kind: 'deny',
    schedule: '* * * * *',
    duration,
    applications: [application],
    manualSync: false,
    timeZone: 'UTC',
    description: 'poolkeeper.dev/sequence: closed until the turn of this Application in its sequence has come',
  };
}

/** The windows of an AppProject with ours for the Application; undefined: it is there already.
 *  @param project as the API server has it */
export function windowsHolding(project: unknown, application: string): readonly unknown[] | undefined {
  const windows = windowsOf(project);
  return windows.some((each) => isOurs(each, application)) ? undefined : [...windows, windowOf(application)];
}

/** The windows without ours; undefined: it is not there. */
export function windowsReleasing(project: unknown, application: string): readonly unknown[] | undefined {
  const windows = windowsOf(project);
  const others = windows.filter((each) => !isOurs(each, application));
  return others.length === windows.length ? undefined : others;
}

function windowsOf(project: unknown): readonly unknown[] {
  const windows = memberOf(memberOf(project, 'spec'), 'syncWindows');
  return Array.isArray(windows) ? windows : [];
}

function isOurs(window: unknown, application: string): boolean {
  const applications = memberOf(window, 'applications');
  const names = Array.isArray(applications) ? applications : [];
  const plain = ['namespaces', 'clusters'].every((key) => {
    const chosen = memberOf(window, key);
    return !Array.isArray(chosen) || chosen.length === 0;
  });
  return (
    plain &&
    memberOf(window, 'kind') === 'deny' &&
    memberOf(window, 'duration') === duration &&
    names.length === 1 &&
    names[0] === application
  );
}
