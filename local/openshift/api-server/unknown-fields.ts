import { isJsonObject, type JsonObject, valueAt } from './json.ts';
import type { ResourceType } from './resource-types.ts';

const objectFields = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

const jobFields = [
  'activeDeadlineSeconds',
  'backoffLimit',
  'backoffLimitPerIndex',
  'completionMode',
  'completions',
  'managedBy',
  'manualSelector',
  'maxFailedIndexes',
  'parallelism',
  'podFailurePolicy',
  'podReplacementPolicy',
  'selector',
  'successPolicy',
  'suspend',
  'template',
  'ttlSecondsAfterFinished',
];

/** Fields of a Job, of its template and of the lists in it that batch/v1 does not know, by their paths; deeper ones are
 *  not looked at. For other kinds: none. */
export function unknownFields(type: ResourceType, object: JsonObject): string[] {
  if (type.kind !== 'Job') return [];
  return [
    ...others(object, objectFields, ''),
    ...others(valueAt(object, ['spec']), jobFields, 'spec.'),
    ...others(valueAt(object, ['spec', 'template']), ['metadata', 'spec'], 'spec.template.'),
  ];
}

function others(value: unknown, known: readonly string[], prefix: string): string[] {
  if (!isJsonObject(value)) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${prefix}${key}`);
}
