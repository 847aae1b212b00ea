import { guardsAnnotation, readGuards } from '../guard/guard-record.ts';
import { memberOf } from '../openshift/member.ts';

/** How the description of our windows begins: by it and by how long they last, they are told from everybody else's. */
const ourDescription = 'poolkeeper.dev/sequence: ';

/** Not that of a window of a guard: Argo CD refuses two windows that differ in nothing but description and
 *  `manualSync`. */
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
    description: `${ourDescription}closed until the turn of this Application in its sequence has come`,
  };
}

/** The windows of an AppProject with ours for the Application; undefined: they are so already. Where it is guarded, the
 *  window of its guard waits for its turn too, and none of ours stands beside it. The guard of another Application of
 *  its name does not: it opens when that one may sync.
 *  @param project as the API server has it
 *  @param namespace of the Application */
export function windowsHolding(
  project: unknown,
  application: string,
  namespace: string,
): readonly unknown[] | undefined {
  if (isGuarded(project, `${namespace}/${application}`)) return windowsReleasing(project, application);
  const windows = windowsOf(project);
  const ours = windows.filter((each) => isOurs(each, application));
  const [first, ...more] = ours;
  if (more.length === 0 && first !== undefined && isAlwaysActive(first) && isStrict(first)) return undefined;
  const others = windows.filter((each) => !ours.includes(each));
  // Argo CD would refuse ours beside somebody's that differs in nothing but description.
  const isThere = others.some((each) => isFor(each, application) && isAlwaysActive(each));
  if (isThere) return ours.length === 0 ? undefined : others;
  return [...others, windowOf(application)];
}

/** The windows without ours; undefined: it is not there. */
export function windowsReleasing(project: unknown, application: string): readonly unknown[] | undefined {
  const windows = windowsOf(project);
  const others = windows.filter((each) => !isOurs(each, application));
  return others.length === windows.length ? undefined : others;
}

/** Whether ours for the Application is there, whatever somebody has made of it. */
export function hasWindow(project: unknown, application: string): boolean {
  return windowsOf(project).some((each) => isOurs(each, application));
}

/** @param application `<namespace>/<name>` */
function isGuarded(project: unknown, application: string): boolean {
  const record = memberOf(memberOf(memberOf(project, 'metadata'), 'annotations'), guardsAnnotation);
  const read = readGuards(typeof record === 'string' ? record : undefined);
  return read.kind === 'guards' && read.guards.some((guard) => guard.application === application);
}

function windowsOf(project: unknown): readonly unknown[] {
  const windows = memberOf(memberOf(project, 'spec'), 'syncWindows');
  return Array.isArray(windows) ? windows : [];
}

/** Whatever somebody has made of its schedule since. */
function isOurs(window: unknown, application: string): boolean {
  const description = memberOf(window, 'description');
  return (
    isFor(window, application) &&
    typeof description === 'string' &&
    description.startsWith(ourDescription) &&
    memberOf(window, 'kind') === 'deny'
  );
}

/** It chooses this Application by its name, and nothing else. */
function isFor(window: unknown, application: string): boolean {
  const applications = memberOf(window, 'applications');
  const names = Array.isArray(applications) ? applications : [];
  const plain = ['namespaces', 'clusters'].every((key) => {
    const chosen = memberOf(window, key);
    return !Array.isArray(chosen) || chosen.length === 0;
  });
  return plain && names.length === 1 && names[0] === application;
}

/** It has the fields by which Argo CD tells windows apart as ours have them. */
function isAlwaysActive(window: unknown): boolean {
  return (
    memberOf(window, 'kind') === 'deny' &&
    memberOf(window, 'schedule') === '* * * * *' &&
    memberOf(window, 'duration') === duration &&
    (memberOf(window, 'timeZone') ?? 'UTC') === 'UTC'
  );
}

/** A sync by hand waits for it too. */
function isStrict(window: unknown): boolean {
  return (memberOf(window, 'manualSync') ?? false) === false;
}
