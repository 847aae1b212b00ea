import type { FieldProblem } from './api-error.ts';
import { isJsonObject, type Json, type JsonObject, sameJson, valueAt } from './json.ts';

/** Makes a Job's selector and labels, once it has its uid. Source: kubernetes pkg/registry/batch/job generateSelector.
 *  Changes `job`. */
export function generateSelector(job: JsonObject): void {
  const metadata = part(job, 'metadata');
  const spec = part(job, 'spec');
  const uid = String(metadata['uid']);
  const name = String(metadata['name']);
  if (spec['manualSelector'] !== true) {
    const labels = part(part(part(spec, 'template'), 'metadata'), 'labels');
    Object.assign(labels, {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    });
    part(part(spec, 'selector'), 'matchLabels')['batch.kubernetes.io/controller-uid'] = uid;
  }
  const templateLabels = valueAt(spec, ['template', 'metadata', 'labels']);
  if (isEmpty(metadata['labels']) && isJsonObject(templateLabels)) metadata['labels'] = { ...templateLabels };
}

/** The defaults of batch/v1. Changes `job`. */
export function fillJob(job: JsonObject): void {
  const spec = part(job, 'spec');
  const alone = spec['completions'] === undefined && spec['parallelism'] === undefined;
  spec['parallelism'] ??= 1;
  if (alone) spec['completions'] = 1;
  spec['backoffLimit'] ??= 6;
  spec['manualSelector'] ??= false;
  spec['completionMode'] ??= 'NonIndexed';
  spec['suspend'] ??= false;
  spec['podReplacementPolicy'] ??= 'TerminatingOrFailed';
  job['status'] = {};
}

/** Validation of a Job, with the real server's messages; fields that nobody here gets wrong are left out. */
export function jobProblems(job: JsonObject, previous?: JsonObject): FieldProblem[] {
  const spec = isJsonObject(job['spec']) ? job['spec'] : {};
  return [
    ...numbersAtLeastZero(spec),
    ...selectorProblems(spec, valueAt(job, ['metadata', 'uid'])),
    ...labelProblems(spec),
    ...podProblems(spec),
    ...changedTemplate(spec, previous),
  ];
}

function numbersAtLeastZero(spec: JsonObject): FieldProblem[] {
  return ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished']
    .filter((field) => Number(spec[field] ?? 0) < 0)
    .map((field) => invalidValue(`spec.${field}`, spec[field] ?? null, 'must be greater than or equal to 0'));
}

function selectorProblems(spec: JsonObject, uid: unknown): FieldProblem[] {
  const { selector = null } = spec;
  const generated = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  const wanted = valueAt(selector, ['matchLabels']);
  const labels = valueAt(spec, ['template', 'metadata', 'labels']);
  const matches = Object.entries(isJsonObject(wanted) ? wanted : {}).every(
    ([key, value]) => isJsonObject(labels) && labels[key] === value,
  );
  return [
    ...(spec['manualSelector'] !== true && !sameJson(selector, generated)
      ? [invalidValue('spec.selector', selector, '`selector` not auto-generated')]
      : []),
    ...(matches
      ? []
      : [
          invalidValue(
            'spec.template.metadata.labels',
            (labels ?? null) as Json,
            '`selector` does not match template `labels`',
          ),
        ]),
  ];
}

/** The Job's name becomes two labels of its pods, and a label has at most 63 characters. */
function labelProblems(spec: JsonObject): FieldProblem[] {
  const labels = valueAt(spec, ['template', 'metadata', 'labels']);
  return Object.values(isJsonObject(labels) ? labels : {})
    .filter((value) => String(value).length > 63)
    .map((value) => invalidValue('spec.template.labels', value, 'must be no more than 63 characters'));
}

const labelName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const labelNameRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

function podProblems(spec: JsonObject): FieldProblem[] {
  const pod = 'spec.template.spec';
  const { containers, restartPolicy } = objectAt(spec, ['template', 'spec']);
  const list = Array.isArray(containers) ? containers : [];
  return [
    ...(list.length === 0 ? [required(`${pod}.containers`)] : []),
    ...list
      .filter(isJsonObject)
      .flatMap((container, index) => containerProblems(container, `${pod}.containers[${index}]`)),
    ...(restartPolicy === 'OnFailure' || restartPolicy === 'Never'
      ? []
      : [required(`${pod}.restartPolicy`, 'Required value: valid values: "OnFailure", "Never"')]),
  ];
}

function containerProblems({ name = '', image = '' }: JsonObject, field: string): FieldProblem[] {
  return [
    ...(name === '' ? [required(`${field}.name`)] : []),
    ...(name !== '' && !labelName.test(String(name)) ? [invalidValue(`${field}.name`, name, labelNameRule)] : []),
    ...(image === '' ? [required(`${field}.image`)] : []),
  ];
}

function changedTemplate(spec: JsonObject, previous: JsonObject | undefined): FieldProblem[] {
  const before = valueAt(previous ?? {}, ['spec', 'template']);
  if (before === undefined || sameJson(before, spec['template'])) return [];
  return [invalidValue('spec.template', spec['template'] ?? null, 'field is immutable')];
}

function invalidValue(field: string, value: Json, why: string): FieldProblem {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}

function required(field: string, message = 'Required value'): FieldProblem {
  return { reason: 'FieldValueRequired', field, message };
}

function objectAt(value: JsonObject, path: readonly string[]): JsonObject {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : {};
}

function isEmpty(value: unknown): boolean {
  return !isJsonObject(value) || Object.keys(value).length === 0;
}

function part(object: JsonObject, key: string): JsonObject {
  const existing = object[key];
  if (isJsonObject(existing)) return existing;
  const made: JsonObject = {};
  object[key] = made;
  return made;
}
