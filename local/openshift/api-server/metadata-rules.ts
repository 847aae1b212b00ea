import type { FieldProblem } from './api-error.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/** Validation of metadata, with the API server's messages. */
export function metadataProblems(metadata: JsonObject): FieldProblem[] {
  const { name, generateName } = metadata;
  return [
    ...nameProblems(typeof name === 'string' ? name : '', typeof generateName === 'string'),
    ...keyProblems(metadata['labels'], 'metadata.labels'),
    ...labelValueProblems(metadata['labels']),
    ...keyProblems(metadata['annotations'], 'metadata.annotations'),
    ...sizeProblems(metadata['annotations']),
  ];
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function nameProblems(name: string, generated: boolean): FieldProblem[] {
  if (name === '')
    return generated
      ? []
      : [
          {
            reason: 'FieldValueRequired',
            field: 'metadata.name',
            message: 'Required value: name or generateName is required',
          },
        ];
  if (name.length <= 253 && subdomain.test(name)) return [];
  return [
    { reason: 'FieldValueInvalid', field: 'metadata.name', message: `Invalid value: "${name}": ${subdomainRule}` },
  ];
}

const keyName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const keyRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

function keyProblems(map: unknown, field: string): FieldProblem[] {
  if (!isJsonObject(map)) return [];
  return Object.keys(map)
    .filter((key) => !keyName.test(key.split('/').at(-1) ?? ''))
    .map((key) => ({ reason: 'FieldValueInvalid', field, message: `Invalid value: "${key}": ${keyRule}` }));
}

const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const labelRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function labelValueProblems(labels: unknown): FieldProblem[] {
  if (!isJsonObject(labels)) return [];
  return Object.values(labels)
    .filter((value) => typeof value === 'string' && !labelValue.test(value))
    .map((value) => ({
      reason: 'FieldValueInvalid',
      field: 'metadata.labels',
      message: `Invalid value: "${value}": ${labelRule}`,
    }));
}

/** Total size of an object's annotations. Bytes. Source: TotalAnnotationSizeLimitB of apimachinery. */
const annotationsLimitBytes = 262_144;

function sizeProblems(annotations: unknown): FieldProblem[] {
  if (!isJsonObject(annotations)) return [];
  const sizeBytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  if (sizeBytes <= annotationsLimitBytes) return [];
  return [
    {
      reason: 'FieldValueTooLong',
      field: 'metadata.annotations',
      message: `Too long: may not be more than ${annotationsLimitBytes} bytes`,
    },
  ];
}

/** Labels and annotations whose values are not strings cannot be decoded. The message about the first one. */
export function undecodableMetadata(metadata: JsonObject): string | undefined {
  for (const field of ['labels', 'annotations']) {
    const map = metadata[field];
    if (!isJsonObject(map)) continue;
    const wrong = Object.values(map).find((value) => typeof value !== 'string');
    if (wrong !== undefined)
      return `json: cannot unmarshal ${goType(wrong)} into Go struct field ObjectMeta.${field} of type string`;
  }
  return undefined;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
