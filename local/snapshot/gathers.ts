import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Misconfigured } from '../../functions/core/text/errors.ts';

/** What one gather left: folders that are read as one cluster. */
export interface Gathered {
  /** Folders with objects, what was gathered last at the end. */
  readonly roots: readonly GatheredFolder[];
  /** When the nodes and pools were complete, to which ages are measured; without any, the last of all. */
  readonly takenAt: Date;
  /** For people: what is not of that time. */
  readonly otherTimes: readonly string[];
}

export interface GatheredFolder {
  readonly folder: string;
  readonly readAt: Date;
}

/** Folders below the given one: that of the gather, and that of an image. */
const depth = 2;

/** Milliseconds: 15 min. What was gathered at once differs less. A node of a rollout needs about as long. */
const atOnce = 15 * 60_000;

/** What `oc adm must-gather` leaves beside the folders of its images. Source: openshift/oc
 *  pkg/cli/admin/mustgather/mustgather.go. */
const marks = ['must-gather.logs', 'timestamp', 'event-filter.html'];

interface Root {
  readonly folder: string;
  /** The folder of the `oc adm must-gather` that it belongs to; undefined: of none, as from `oc adm inspect`. */
  readonly gather: string | undefined;
  readonly time: Date | undefined;
}

/** The images of one `oc adm must-gather` are together in its folder. Throws Misconfigured if nothing was gathered
 *  there, or at several times, where what was first would answer for what is now. */
export async function gathersIn(folder: string): Promise<Gathered> {
  const found = await rootsBelow({ folder, gather: undefined }, depth);
  if (found.length === 0)
    throw new Misconfigured([
      `--must-gather ${folder}: has neither cluster-scoped-resources nor namespaces, here or ${depth} folders down`,
    ]);
  const roots = found.toSorted((a, b) => msOf(a.time) - msOf(b.time) || (a.folder < b.folder ? -1 : 1));
  const gathers = await Promise.all(
    [...Map.groupBy(roots, ({ gather, folder }) => gather ?? folder)].map(async ([home, within]) => ({
      home,
      isOfImages: within.some(({ gather }) => gather !== undefined),
      time: latest([await timeIn(home), ...within.map(({ time }) => time)]),
    })),
  );
  refuseSeveral(folder, gathers);
  const takenAt = (await timeOfNodes(roots)) ?? latest(gathers.map(({ time }) => time)) ?? (await stat(folder)).mtime;
  return {
    roots: roots.map((root) => ({ folder: root.folder, readAt: root.time ?? takenAt })),
    takenAt,
    otherTimes: roots.length === 1 ? [] : roots.flatMap((root) => otherTime(takenAt, root, folder)),
  };
}

/** A namespace that was inspected hours later makes no drain older. */
async function timeOfNodes(roots: readonly Root[]): Promise<Date | undefined> {
  const times = await Promise.all(
    roots.map(async ({ folder, time }) => {
      const has = await Promise.all(ofNodes.map((path) => isThere(join(folder, 'cluster-scoped-resources', path))));
      return has.includes(true) ? time : undefined;
    }),
  );
  return latest(times);
}

const ofNodes = ['core/nodes', 'machineconfiguration.openshift.io/machineconfigpools'].flatMap((path) => [
  path,
  `${path}.yaml`,
]);

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

interface Gather {
  readonly home: string;
  /** Of `oc adm must-gather`. */
  readonly isOfImages: boolean;
  readonly time: Date | undefined;
}

function refuseSeveral(folder: string, gathers: readonly Gather[]): void {
  const times = gathers.flatMap(({ time }) => (time === undefined ? [] : [time.getTime()]));
  const areAtOnce = times.length < 2 || Math.max(...times) - Math.min(...times) <= atOnce;
  const [ofImages, another] = gathers.filter(({ isOfImages }) => isOfImages);
  if (areAtOnce && another === undefined) return;
  const named = gathers.map(({ home, time }) => `${relative(folder, home)}${time ? ` (${time.toISOString()})` : ''}`);
  const belongs =
    ofImages === undefined || another !== undefined
      ? ''
      : `; what is inspected later belongs into it: oc adm inspect ns/NAME --dest-dir ${join(ofImages.home, 'NAME')}`;
  throw new Misconfigured([
    `--must-gather ${folder}: was gathered more than once: ${named.toSorted().join(', ')}; name one of them${belongs}`,
  ]);
}

function otherTime(takenAt: Date, { folder: own, time }: Root, folder: string): readonly string[] {
  const late = time === undefined ? 0 : time.getTime() - takenAt.getTime();
  if (time === undefined || Math.abs(late) <= atOnce) return [];
  const [of, then] = [relative(folder, own), time.toISOString()];
  return late < 0
    ? [`changes after ${then} in ${of}: nodes or pools were gathered later`]
    : [`${of} at ${takenAt.toISOString()}: it was gathered at ${then}, later than nodes and pools`];
}

async function rootsBelow({ folder, gather }: Omit<Root, 'time'>, levels: number): Promise<readonly Root[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  if (folders.includes('cluster-scoped-resources') || folders.includes('namespaces')) {
    // Without its marks it is still the folder of one gather.
    const home = gather ?? (levels === 0 ? dirname(folder) : undefined);
    return [{ folder, gather: home, time: (await timeIn(folder)) ?? (await timeIn(home ?? folder)) }];
  }
  if (levels === 0) return [];
  const own = entries.some(({ name }) => marks.includes(name)) ? folder : gather;
  const below = folders.map((name) => rootsBelow({ folder: join(folder, name), gather: own }, levels - 1));
  return (await Promise.all(below)).flat();
}

export async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** The last line of the file `timestamp` that has a time is the end. */
async function timeIn(folder: string): Promise<Date | undefined> {
  const text = await readFile(join(folder, 'timestamp'), 'utf8').catch(() => '');
  return [...text.matchAll(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\S* ([+-]\d\d)(\d\d)/g)]
    .map(([, day, time, hours, minutes]) => new Date(`${day}T${time}${hours}:${minutes}`))
    .findLast((date) => !Number.isNaN(date.getTime()));
}

function latest(times: readonly (Date | undefined)[]): Date | undefined {
  // What is undefined would be sorted to the end.
  const known = times.filter((time) => time !== undefined);
  return known.toSorted((a, b) => a.getTime() - b.getTime()).at(-1);
}

function msOf(time: Date | undefined): number {
  return time?.getTime() ?? 0;
}
