import type { RemarkCode } from '../../functions/core/clustergroup/remark.ts';
import { mapOf } from './compared-object.ts';
import type { RecordedCase, RecordedObject } from './recorded-case.ts';

/** What of a recording is a trap: judged by what the chart made and by the files as they are, not by the import. */
export function mustBeSaid(recorded: RecordedCase): ReadonlySet<RemarkCode> {
  const { result } = recorded;
  const made = result.ok ? result : (recorded.resultSkippingSchema ?? result);
  const codes = rules.filter(([, applies]) => applies({ error: result.error ?? '', objects: made.objects, recorded }));
  return new Set(codes.map(([code]) => code));
}

interface Seen {
  readonly error: string;
  readonly objects: readonly RecordedObject[];
  readonly recorded: RecordedCase;
}

const knownHooks = ['PreSync', 'Sync', 'PostSync', 'SyncFail', 'PreDelete', 'PostDelete', 'Skip'];
const ordered = ['Application', 'Subscription', 'ClusterExtension'];

/** Each code is said if and only if its rule applies. */
export const rules: readonly (readonly [RemarkCode, (seen: Seen) => boolean])[] = [
  ['chart-refuses-key', ({ error }) => error.includes('additional properties')],
  ['chart-refuses-value', ({ error }) => /got \w+, want \w+|missing property|'not' failed/.test(error)],
  ['chart-render-fails', ({ error }) => error.includes('operatorgroup.yaml')],
  ['gate-without-annotations', ({ error }) => error.includes('$subs.annotations')],
  ['two-gates-of-one-name', ({ objects }) => hasTwice(gates(objects).map(({ name }) => name ?? ''))],
  [
    'gate-of-disabled',
    ({ objects }) =>
      gates(objects).some(({ name }) => !operators(objects).some((each) => `${each.name}-sequencejob` === name)),
  ],
  ['gate-of-nothing', ({ objects }) => gates(objects).some((gate) => watchedBy(gate)?.trim() === '')],
  ['gate-of-any', ({ objects }) => gates(objects).some((gate) => /^\S+ (?: -n \S+)?$/.test(watchedBy(gate) ?? ''))],
  ['invalid-name', ({ objects }) => gates(objects).some((gate) => /[^\w .:-]/.test(watchedBy(gate) ?? ''))],
  ['command-not-a-list', ({ objects }) => gates(objects).some(({ command }) => typeof command === 'string')],
  ['hook-unknown', ({ objects }) => hooks(objects).some((all) => !all.every((hook) => knownHooks.includes(hook)))],
  ['hook-presync', ({ objects }) => hooks(objects).some((all) => all.includes('PreSync') && !all.includes('Sync'))],
  [
    'hook-gates-nothing',
    ({ objects }) =>
      hooks(objects).some((all) =>
        all.every((hook) => knownHooks.includes(hook) && !['PreSync', 'Sync'].includes(hook)),
      ),
  ],
  [
    'manual-approval',
    ({ objects }) => operators(objects).some(({ spec }) => mapOf(spec)['installPlanApproval'] === 'Manual'),
  ],
  ['cluster-extension', ({ objects }) => objects.some(({ kind }) => kind === 'ClusterExtension')],
  [
    'application-waves-wait-for-nothing',
    ({ objects }) => objects.some(({ kind, argoWave }) => kind === 'Application' && argoWave !== 0),
  ],
  [
    'namespace-annotations',
    ({ objects }) =>
      objects.some(
        ({ kind, name, annotations, from }) =>
          kind === 'Namespace' &&
          from === 'namespaces' &&
          annotations &&
          objects.some((each) => each.kind === 'OperatorGroup' && each.namespace === name && !each.annotations),
      ),
  ],
  ['object-twice', ({ objects }) => hasTwice(objects.filter(({ kind }) => kind !== 'Job').map(idOf))],
  ['gate-after-what-should-wait', ({ objects }) => gates(objects).some((gate) => isLate(gate, objects))],
  [
    'disabled-is-not-a-boolean',
    // What a later file says may count instead.
    ({ recorded }) => {
      const [only, ...others] = groupsOf(recorded).filter((group) => group !== undefined);
      return (
        others.length === 0 && /"disabled":"/.test(JSON.stringify(only ?? {}).replaceAll('"data":{"disabled"', ''))
      );
    },
  ],
  ['template-text', ({ objects }) => objects.some(({ object }) => JSON.stringify(object ?? '').includes('{{'))],
];

/** What recordings do not always show: two entries of one name, of which one is disabled; an earlier file. */
export const mayBeSaid: readonly RemarkCode[] = [
  'disabled-is-not-a-boolean',
  'gate-of-disabled',
  'gate-of-nothing',
  'object-twice',
];

function gates(objects: readonly RecordedObject[]): readonly RecordedObject[] {
  return objects.filter(({ kind, from }) => kind === 'Job' && from === 'subscriptions');
}

function operators(objects: readonly RecordedObject[]): readonly RecordedObject[] {
  return objects.filter(({ kind }) => kind === 'Subscription' || kind === 'ClusterExtension');
}

function hooks(objects: readonly RecordedObject[]): readonly (readonly string[])[] {
  return objects.flatMap(({ annotations }) => {
    const hook = annotations?.['argocd.argoproj.io/hook'];
    return hook === undefined || hook === null ? [] : [hook.split(',')];
  });
}

function watchedBy({ watched }: RecordedObject): string | undefined {
  const text = mapOf(watched)['ocGetArguments'];
  return typeof text === 'string' ? text : undefined;
}

function isLate(gate: RecordedObject, objects: readonly RecordedObject[]): boolean {
  const own = operators(objects).findLast(({ name }) => `${name}-sequencejob` === gate.name);
  const [from, to] = [own?.argoWave ?? 0, gate.argoWave ?? 0];
  return objects.some(
    ({ kind, from: section, argoWave = 0 }) =>
      (ordered.includes(kind ?? '') || section === 'extraObjects') && argoWave > from && argoWave <= to,
  );
}

function groupsOf({ files }: RecordedCase): readonly unknown[] {
  return files.map(({ data }) => mapOf(data)['clusterGroup']);
}

function hasTwice(texts: readonly string[]): boolean {
  return new Set(texts).size !== texts.length;
}

function idOf({ apiVersion, kind, namespace, name }: RecordedObject): string {
  return [apiVersion, kind, namespace, name].join(' ');
}

/** Keys of `clusterGroup` that make no step. Each must be named. */
const steps = [
  'applications',
  'extraObjects',
  'name',
  'namespaces',
  'operatorgroupExcludes',
  'sharedValueFiles',
  'subscriptions',
  'targetCluster',
];

export function keysToBeNamed(recorded: RecordedCase): readonly string[] {
  const keys = groupsOf(recorded).flatMap((group) => Object.keys(mapOf(group)));
  return [...new Set(keys)].filter((key) => !steps.includes(key)).map((key) => `clusterGroup.${key}`);
}
