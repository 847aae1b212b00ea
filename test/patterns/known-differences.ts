import { isDeepStrictEqual } from 'node:util';
import type { Remark } from '../../functions/core/clustergroup/remark.ts';
import { cliImage } from '../../local/manifests/presync-job.ts';
import type { Difference } from './compare.ts';
import { type ComparedObject, mapOf } from './compared-object.ts';

/** Both sides of a case, and what the import says about it. */
export interface Compared {
  readonly chart: readonly ComparedObject[];
  readonly ours: readonly ComparedObject[];
  readonly remarks: readonly Remark[];
}

/** A difference that is meant. Whatever none of these explains fails its case. */
export interface KnownDifference {
  readonly code: string;
  readonly reason: string;
  readonly explains: (difference: Difference, compared: Compared) => boolean;
}

const chartImage = 'quay.io/validatedpatterns/imperative-container:v1';
const hook = 'argocd.argoproj.io/hook';
const wave = 'argocd.argoproj.io/sync-wave';
const isJob = ({ id }: { readonly id: string }) => id.startsWith('batch/v1 Job ');

function says(remarks: readonly Remark[], ...codes: readonly Remark['code'][]): boolean {
  return remarks.some(({ code }) => codes.includes(code));
}

/** Field by field, what differs of two maps. */
function differing(chart: unknown, ours: unknown): readonly string[] {
  const [a, b] = [mapOf(chart), mapOf(ours)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !isDeepStrictEqual(a[key], b[key]));
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    code: 'own image',
    reason:
      'the chart pulls a floating tag from outside; ours is the cli image stream of the cluster, or a configured one',
    explains: (each) =>
      each.kind === 'field' && each.field === 'image' && each.chart === chartImage && each.ours === cliImage,
  },
  {
    code: 'wave written out',
    reason: 'the wave of a gate is written as Argo CD reads it: 0 where the chart has none, empty text or no integer',
    explains: (each) =>
      each.kind === 'field' &&
      each.field === 'annotations' &&
      isJob(each) &&
      differing(each.chart, each.ours).every((key) => key === wave || key === hook) &&
      readAs(mapOf(each.chart)[wave]) === mapOf(each.ours)[wave],
  },
  {
    code: 'annotation text',
    reason: 'an unquoted 0 or false is written as it was meant and null is left out, where the chart writes empty text',
    explains: (each) =>
      each.kind === 'field' &&
      each.field === 'annotations' &&
      differing(each.chart, each.ours).every(
        (key) =>
          mapOf(each.chart)[key] === '' &&
          ['0', 'false', undefined].includes(String(mapOf(each.ours)[key] ?? '') || undefined),
      ),
  },
  {
    code: 'empty startingCSV',
    reason: 'useCSV without a csv makes startingCSV null in the chart, which the API server drops; ours leaves it out',
    explains: (each) =>
      each.kind === 'field' &&
      each.field === 'spec' &&
      isDeepStrictEqual(differing(each.chart, each.ours), ['startingCSV']) &&
      mapOf(each.chart)['startingCSV'] === null &&
      mapOf(each.ours)['startingCSV'] === undefined,
  },
  {
    code: 'unknown hook',
    reason: 'a hook type that Argo CD does not know never runs; ours is Sync, and said',
    explains: (each, { remarks }) =>
      each.kind === 'field' &&
      isJob(each) &&
      says(remarks, 'hook-unknown') &&
      (each.field === 'hook'
        ? each.ours === 'Sync'
        : each.field === 'annotations' && differing(each.chart, each.ours).join() === hook),
  },
  {
    code: 'gate not taken',
    reason: 'it never opens, is no valid Job, or hands text to a shell; refused and said',
    explains: (each, { remarks }) =>
      each.kind === 'missing' && isJob(each) && says(remarks, 'gate-of-nothing', 'invalid-name', 'command-not-a-list'),
  },
  {
    code: 'gate of a disabled operator',
    reason: 'the chart waits for ever for what nobody installs; ours leaves it out and says so',
    explains: (each, { remarks }) => each.kind === 'missing' && isJob(each) && says(remarks, 'gate-of-disabled'),
  },
  {
    code: 'gate with a name of its own',
    reason: 'of two Jobs of one name Argo CD runs the last; ours have two names',
    explains: (each, { remarks, chart, ours }) => {
      if (!isJob(each) || each.kind === 'field' || !says(remarks, 'two-gates-of-one-name')) return false;
      if (each.kind === 'missing') return chart.filter(({ id }) => id === each.id).length > 1;
      const twins = chart.filter(({ id }) => each.id.startsWith(`${id}-`));
      return (
        twins.length > 1 &&
        ours.some(({ id }) => id === twins[0]?.id) &&
        twins.some((twin) => isLikeGate(twin, each.object))
      );
    },
  },
  {
    code: 'object given twice',
    reason: 'Argo CD takes the last of two manifests of one object and warns; so does the import, and says so',
    explains: (each, { remarks, ours }) =>
      each.kind === 'missing' && says(remarks, 'object-twice') && ours.some(({ id }) => id === each.id),
  },
  {
    code: 'no manifest',
    reason: 'the chart writes out what has no kind; refused and said',
    explains: (each, { remarks }) =>
      each.kind === 'missing' && each.id.includes(' - ') && !isJob(each) && says(remarks, 'no-manifest'),
  },
];

/** What Argo CD reads of a wave, as text. */
function readAs(text: unknown): string {
  return typeof text === 'string' && /^[+-]?\d{1,15}$/.test(text) ? `${Number(text) + 0}` : '0';
}

function isLikeGate(chart: ComparedObject, ours: ComparedObject): boolean {
  return differing(chart.fields, ours.fields).every((key) => ['image', 'annotations', 'hook'].includes(key));
}
