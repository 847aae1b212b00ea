/** One entry of `spec.syncWindows` as it was read: fields that Poolkeeper does not know are kept. Source: argo-cd
 *  v1alpha1 types.go, SyncWindow. */
export type SyncWindow = Readonly<Record<string, unknown>>;

/** How the description of our windows begins. Nobody but Poolkeeper and whoever may write the AppProject writes it. */
const ourDescription = 'poolkeeper.dev/guard: ';

const description = `${ourDescription}closed until the pools of this Application are confirmed paused. Poolkeeper opens it; by hand: docs/guard.md of Poolkeeper`;

/** A window that begins every minute and lasts this long is always active. Argo CD refuses a project with two windows
 *  that differ in nothing but description and `manualSync`: then the next one is used. */
const durations = ['24h', '25h', '26h'] as const;

/** Whatever somebody has made of its schedule since. One that allows syncs is never ours: nobody may take it away. */
export function isOurs(window: SyncWindow): boolean {
  return isDescribed(window, ourDescription);
}

/** How the descriptions of all windows of Poolkeeper begin, those of sequences among them. */
export const anyDescription = 'poolkeeper.dev/';

export function isPoolkeepers(window: SyncWindow): boolean {
  return isDescribed(window, anyDescription);
}

function isDescribed({ description: text, kind }: SyncWindow, beginning: string): boolean {
  return kind === 'deny' && typeof text === 'string' && text.startsWith(beginning);
}

/** The Application that a window of ours is for; undefined: somebody has changed it beyond that. */
export function nameOfWindow(window: SyncWindow): string | undefined {
  const { applications } = window;
  const [name] = Array.isArray(applications) && applications.length === 1 ? applications : [];
  return typeof name === 'string' ? name : undefined;
}

/** It holds back every sync of its Application, and nothing else. */
function isIntact(window: SyncWindow): boolean {
  return isAlwaysActive(window) && (window['manualSync'] ?? false) === false;
}

/** It has the fields by which Argo CD tells windows apart as ours have them. */
function isAlwaysActive(window: SyncWindow): boolean {
  const { kind, schedule, duration, timeZone = 'UTC', ...rest } = window;
  const { applications: _, description: __, manualSync: ___, ...others } = rest;
  return (
    nameOfWindow(window) !== undefined &&
    kind === 'deny' &&
    schedule === '* * * * *' &&
    durations.some((each) => each === duration) &&
    timeZone === 'UTC' &&
    Object.values(others).every(isEmpty)
  );
}

function isEmpty(value: unknown): boolean {
  return value === false || value === null || (Array.isArray(value) && value.length === 0);
}

/** A deny window for one Application, beside the windows that are there. */
function windowFor(name: string, others: readonly SyncWindow[]): SyncWindow {
  const made = durations.map((duration) => ({
    kind: 'deny',
    schedule: '* * * * *',
    duration,
    applications: [name],
    manualSync: false,
    timeZone: 'UTC',
    description,
  }));
  const free = made.find((window) => !others.some((other) => isAlwaysActive(other) && isTwin(other, window)));
  return free ?? { ...made[0] };
}

function isTwin(a: SyncWindow, b: SyncWindow): boolean {
  return a['duration'] === b['duration'] && nameOfWindow(a) === nameOfWindow(b);
}

/** What is to become of our windows of one project, by the name of their Applications. */
export interface WindowChange {
  /** These must be there. */
  readonly closed: ReadonlySet<string>;
  /** These must not. */
  readonly open: ReadonlySet<string>;
}

/** The windows after the change. Others keep their place and their content; ours that are not named stay as they
 *  are. */
export function windowsAfter(windows: readonly SyncWindow[], { closed, open }: WindowChange): readonly SyncWindow[] {
  const done = new Set<string>();
  const kept = windows.filter((window) => {
    if (!isOurs(window)) return true;
    const name = nameOfWindow(window);
    // One that somebody has given to other Applications holds back what we never meant to.
    if (name === undefined || open.has(name)) return false;
    if (!closed.has(name)) return true;
    const isFirst = isIntact(window) && !done.has(name);
    if (isFirst) done.add(name);
    return isFirst;
  });
  const missing = [...closed].filter((name) => !done.has(name));
  const after = [...kept];
  for (const name of missing) after.push(windowFor(name, after));
  return after;
}

/** Names of the Applications that our windows hold back now. */
export function namesHeldBack(windows: readonly SyncWindow[]): ReadonlySet<string> {
  return new Set(
    windows.filter((window) => isOurs(window) && isIntact(window)).flatMap((each) => nameOfWindow(each) ?? []),
  );
}
