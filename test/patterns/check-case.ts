import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { type ImportedGroup, importGroup } from '../../functions/core/clustergroup/import-group.ts';
import { toSequence } from '../../functions/core/clustergroup/to-sequence.ts';
import { isMap, plainValue } from '../../functions/core/clustergroup/values.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';
import { groupManifests } from '../../local/manifests/group-manifests.ts';
import { type Difference, differencesOf } from './compare.ts';
import { type ComparedObject, importedObjects, mapOf, recordedObjects } from './compared-object.ts';
import { type Compared, type KnownDifference, knownDifferences } from './known-differences.ts';
import { keysToBeNamed, mayBeSaid, mustBeSaid, rules } from './must-be-said.ts';
import type { RecordedCase } from './recorded-case.ts';

export interface Verdict {
  /** Objects of the chart that the import has as well, equal or with known differences. */
  readonly objects: number;
  readonly known: readonly KnownDifference[];
  /** What nobody explains. */
  readonly problems: readonly string[];
}

/** Imports the files of a case and holds the outcome against what the chart made of them. */
export function checkCase(recorded: RecordedCase): Verdict {
  const files = recorded.files.map(({ path, data }) => {
    const values = plainValue(data);
    return { path, values: isMap(values) ? values : {} };
  });
  const imported = importGroup(files, recorded.parameters);
  const { result } = recorded;
  const made = result.ok ? result : (recorded.resultSkippingSchema ?? result);
  // The chart made nothing: there is only what the import says to be checked.
  const ours = made.ok ? importedObjects(imported) : [];
  const compared: Compared = { chart: recordedObjects(made.objects), ours, remarks: imported.remarks };
  const judged = differencesOf(compared.chart, compared.ours).map((difference) => judge(difference, compared));
  return {
    objects: compared.chart.length - judged.filter(({ problem }) => problem?.startsWith('missing')).length,
    known: judged.flatMap(({ known }) => (known === undefined ? [] : [known])),
    problems: [
      ...judged.flatMap(({ problem }) => problem ?? []),
      ...unsaid(recorded, compared),
      ...stepProblems(imported),
      ...jobProblems(imported),
    ],
  };
}

function judge(
  difference: Difference,
  compared: Compared,
): { readonly known?: KnownDifference; readonly problem?: string } {
  const known = knownDifferences.find((each) => each.explains(difference, compared));
  return known === undefined ? { problem: problemText(difference) } : { known };
}

function problemText(difference: Difference): string {
  if (difference.kind !== 'field') return `${difference.kind}: ${difference.id} ${fieldsText(difference.object)}`;
  const { id, field, chart, ours } = difference;
  return `${id}: ${field} is ${JSON.stringify(ours)}, the chart has ${JSON.stringify(chart)}`;
}

function fieldsText({ fields }: ComparedObject): string {
  return JSON.stringify(fields).slice(0, 200);
}

function unsaid(recorded: RecordedCase, { remarks }: Compared): readonly string[] {
  const must = mustBeSaid(recorded);
  // Of a group that the chart cannot make nothing is known but its error.
  const isMade = recorded.result.ok || recorded.resultSkippingSchema?.ok === true;
  const said = new Set(remarks.map(({ code }) => code));
  const places = new Set(remarks.map(({ at }) => at));
  return [
    ...[...must].filter((code) => !said.has(code)).map((code) => `not said: ${code}`),
    ...rules.flatMap(([code]) =>
      isMade && said.has(code) && !must.has(code) && !mayBeSaid.includes(code)
        ? [`said without a reason: ${code}`]
        : [],
    ),
    ...keysToBeNamed(recorded)
      .filter((key) => !places.has(key))
      .map((key) => `not named: ${key}`),
    ...(recorded.result.ok || remarks.length > 0 ? [] : ['the chart fails and the import says nothing']),
  ];
}

/** Each object of the group is a step in its wave, and poolkeeper.yaml takes them. */
function stepProblems(imported: ImportedGroup): readonly string[] {
  const { sequences } = toSequence(imported, { name: 'group', cluster: 'hub' });
  try {
    const read = readConfiguration(stringify({ ...around, sequences }, { aliasDuplicateObjects: false }), {
      source: 'poolkeeper.yaml',
    });
    const steps = Object.values(read.sequences?.['group']?.steps ?? {});
    const waves = steps.map(({ kind, wave }) => `${kind} ${wave}`).toSorted();
    return isDeepStrictEqual(waves, wavesOf(imported))
      ? []
      : [`steps are ${waves.join(', ')}, not ${wavesOf(imported).join(', ')}`];
  } catch (error) {
    if (error instanceof Misconfigured) return error.problems;
    throw error;
  }
}

const around = {
  clusters: [{ name: 'hub', api: { server: 'https://api.hub.example.com:6443', tokenSecret: 'poolkeeper/hub/token' } }],
  argocd: [{ name: 'hub', cluster: 'hub' }],
};

function wavesOf({ operators, applications, objects }: ImportedGroup): readonly string[] {
  return [
    ...operators.flatMap(({ manifests, wave }) => manifests.map(() => `subscription ${wave}`)),
    ...applications.map(({ wave }) => `application ${wave}`),
    ...objects.map(({ wave }) => `object ${wave}`),
  ].toSorted();
}

/** Each gate is a Job that ends, that Argo CD sees before it is deleted, with an account of its own. */
function jobProblems(imported: ImportedGroup): readonly string[] {
  const { objects, remarks } = groupManifests(imported, {});
  const jobs = objects.map(mapOf).filter(({ metadata, kind }) => kind === 'Job' && isOurs(metadata));
  const gates = imported.operators.filter(({ gate }) => gate !== undefined).length;
  const bad = jobs.filter(({ metadata, spec }) => {
    const { activeDeadlineSeconds, ttlSecondsAfterFinished: ttl, template } = mapOf(spec);
    const account = mapOf(mapOf(template)['spec'])['serviceAccountName'];
    const policy = mapOf(mapOf(metadata)['annotations'])['argocd.argoproj.io/hook-delete-policy'];
    const isWhole = [activeDeadlineSeconds, account, policy, mapOf(metadata)['namespace']].every(
      (each) => each !== undefined,
    );
    return !isWhole || typeof ttl !== 'number' || ttl < 600;
  });
  return [
    ...(jobs.length === gates ? [] : [`${jobs.length} Jobs for ${gates} gates`]),
    ...(bad.length === 0 ? [] : [`${bad.length} Jobs without an end, an account, a namespace or a delete policy`]),
    ...remarks.filter(({ kind }) => kind === 'refused').map(({ at, says }) => `${at}: ${says}`),
  ];
}

function isOurs(metadata: unknown): boolean {
  return mapOf(mapOf(metadata)['labels'])['app.kubernetes.io/part-of'] === 'poolkeeper';
}
