import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { StoredPendingChange } from '../../functions/adapters/aws/stored/pending-change.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';

/** Bytes. Largest file that is read: about an hour with one snapshot a minute. */
const largest = 64 * 1024 * 1024;

/** Applications of one snapshot: three times as many as one cluster should have. */
export const applicationsAtMost = 15_000;

const instant = z.iso.datetime().describe('ISO-8601 instant, UTC.');

/** One question to the API server, and its answer. */
export const Reading = z.object({
  path: z.string().startsWith('/').describe('GET path of the Kubernetes API.'),
  query: z.record(z.string(), z.string()).default({}),
  form: z
    .enum(['object', 'metadata', 'table', 'text', 'discovery'])
    .default('object')
    .describe(
      'The form asked for: whole objects, metadata only, the columns that kubectl prints, or plain text, which is never recorded.',
    ),
  readAt: instant,
  answer: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('found'), body: z.unknown().describe('Object, list or table, without secrets.') }),
    z.object({ kind: z.literal('absent').describe('404: no such object.') }),
    z.object({
      kind: z.literal('failed'),
      why: z.string(),
      isForbidden: z.boolean().optional().describe('Permission was denied.'),
    }),
  ]),
});
export type Reading = z.infer<typeof Reading>;

const KnownApplication = z.object({
  ref: z.object({ argocd: z.string(), namespace: z.string(), name: z.string() }),
  sources: z.array(
    z.object({
      repoURL: z.string().describe('Without a password.'),
      path: z.string(),
      targetRevision: z.string(),
      chart: z.string(),
      hydration: z.enum(['dry', 'hydrated']).optional(),
    }),
  ),
  selfHeal: z.boolean().optional(),
});

/** What was read of a cluster to explain why a pool is stuck: enough to explain it again anywhere. */
export const Snapshot = z
  .object({
    v: z.literal(1),
    cluster: z.string().min(1),
    takenAt: instant,
    whole: z
      .boolean()
      .default(false)
      .describe(
        'true: what is not among the readings does not exist (a small cluster, recorded completely). Otherwise it is unknown.',
      ),
    firstSeen: z
      .record(z.string(), instant)
      .default({})
      .describe('Since when each condition had been observed by the recorder; empty for a single snapshot.'),
    waitsForRender: z
      .array(z.string())
      .default([])
      .describe('Pools with a sync whose applied change was not rendered yet.'),
    changes: z
      .record(z.string(), StoredPendingChange)
      .default({})
      .describe(
        'By pool, the change that is pending or rolling out: names and words, never the content of MachineConfigs.',
      ),
    applications: z
      .array(KnownApplication)
      .max(applicationsAtMost)
      .default([])
      .describe('Argo CD Applications: where in Git an object comes from, and whether live edits of it are reverted.'),
    readings: z.array(Reading).max(20_000),
  })
  .meta({ title: 'Poolkeeper snapshot' });
export type Snapshot = z.infer<typeof Snapshot>;

/** Reads one snapshot from a file. Throws Misconfigured. */
export async function readSnapshot(file: string): Promise<Snapshot> {
  const { snapshots, isCut } = await readRecording(file);
  const [only, ...more] = snapshots;
  if (only === undefined || more.length > 0 || isCut)
    throw new Misconfigured([
      `${file}: holds ${snapshots.length + (isCut ? 1 : 0)} snapshots, not one; use poolkeeper replay for those`,
    ]);
  return only;
}

interface Recording {
  /** In the order they were taken. */
  readonly snapshots: readonly Snapshot[];
  /** Whoever recorded was ended in the middle of another one. */
  readonly isCut: boolean;
}

/** Reads a recording: snapshots, one per line. A file with one snapshot may span many lines. */
export async function readRecording(file: string): Promise<Recording> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Misconfigured([`${file}: cannot be read`], { cause });
  });
  if (text.length > largest) throw new Misconfigured([`${file}: is larger than ${largest / 1024 / 1024} MiB`]);
  const whole = parse(text);
  if (whole !== undefined) return { snapshots: [checked(whole, file)], isCut: false };
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const isCut = !text.endsWith('\n') && lines.length > 1 && parse(lines.at(-1) ?? '') === undefined;
  const complete = isCut ? lines.slice(0, -1) : lines;
  const snapshots = complete.map((line, index) => checked(parse(line), `${file}, line ${index + 1}`));
  return { snapshots: snapshots.toSorted((a, b) => Date.parse(a.takenAt) - Date.parse(b.takenAt)), isCut };
}

function checked(value: unknown, where: string): Snapshot {
  const read = Snapshot.safeParse(value);
  if (read.success) return read.data;
  const first = read.error.issues[0];
  throw new Misconfigured([
    `${where}: is not a snapshot of \`poolkeeper record\` (${first?.path.join('.') ?? ''}: ${first?.message ?? ''})`,
  ]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
